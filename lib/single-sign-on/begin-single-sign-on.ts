import 'server-only'
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { z } from 'zod'
import { digestToken } from '#lib/auth/token.ts'
import { prisma } from '#lib/db/prisma.ts'
import { env } from '#lib/env.ts'
import { refuseBeyondLimit } from '#lib/limits/refuse-beyond-limit.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
import { findProvider, requireSingleSignOn } from './provider.ts'

export const BeginSingleSignOnSchema = z.object({
  /** Where to go afterwards. */
  next: z.string().max(2_000).nullish(),
  /** Whether somebody who is signed in is to prove once more who they are. */
  again: z.boolean().optional(),
})

/** How long somebody may take at the provider, in milliseconds. */
const lifetimeMs = 15 * 60_000

/** Makes a provider say when somebody proved who they are: most do so only when they are asked, each in one of two ways. */
const saysWhen = {
  // A year: asks for the time without asking the person anew.
  max_age: '31536000',
  claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }),
}

/**
 * Begins to sign this browser in at the provider: answers the address to go to. Throws `Refused`.
 * @param testedBy who only tests it, by the id of the caller
 */
export async function beginSingleSignOn(
  { next, again = false }: z.output<typeof BeginSingleSignOnSchema>,
  { browserId, ip }: ActionContext,
  testedBy: string | null = null,
): Promise<{ readonly url: string }> {
  const { scope } = requireSingleSignOn()
  await refuseBeyondLimit('sso-per-ip', ip, 'Too many tries.')
  const provider = await findProvider()
  const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const now = Date.now()
  await prisma().ssoAttempt.create({
    data: {
      stateDigest: digestToken(state),
      browserDigest: digestToken(browserId),
      nonce,
      codeVerifier,
      next: next ?? null,
      proofSince: again ? new Date(now) : null,
      testedBy,
      expiresAt: new Date(now + lifetimeMs),
    },
  })
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: callbackUrl().href,
    scope,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...saysWhen,
    // A provider that follows this asks for the person again.
    ...(again ? { prompt: 'login', max_age: '0' } : {}),
  })
  return { url: url.href }
}

/** When an attempt began that expires then. */
export const beganAt = (expiresAt: Date): Date => new Date(expiresAt.getTime() - lifetimeMs)

/** Where the provider sends the browser back to: to be entered there. */
export const callbackUrl = (): URL => new URL('/api/single-sign-on/callback', env().publicUrl)
