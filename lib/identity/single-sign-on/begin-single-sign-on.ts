import 'server-only'
import {
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  calculatePKCECodeChallenge,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/caller.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env, type SingleSignOn } from '#lib/platform/env.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { nextPath } from '../rules/next-path.ts'
import { explainFailure, hasEndedThere, refusesQuestion, wantsPushed } from './explain-failure.ts'
import { findProvider, type Provider, requireSingleSignOn } from './provider.ts'

export const BeginSingleSignOnSchema = z.object({
  /** The person continues at this address, see `nextPath`. */
  next: z.string().nullish(),
  /** A person who is signed in must prove again who they are; one whose session is over is asked anew where the provider can. */
  again: z.boolean().optional(),
  /** The provider is asked for another account than the one that it knows already. */
  another: z.boolean().optional(),
})

/** A person may take this many milliseconds at the provider. */
const lifetimeMs = 15 * 60_000

/** Most providers say when somebody proved who they are only when asked, each in one of two ways. */
const saysWhen = {
  // The value of a year asks for the time without asking the person anew.
  max_age: '31536000',
  claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }),
}

/**
 * This browser begins to sign in at the provider; the result is the address to open. `testedBy` is the id of a
 * caller who only tests it. Throws `Refused`.
 */
export async function beginSingleSignOn(
  { next, again = false, another = false }: z.output<typeof BeginSingleSignOnSchema>,
  { browserId, ip }: ActionContext,
  testedBy: string | null = null,
): Promise<{ readonly url: string }> {
  requireSingleSignOn()
  await refuseBeyondLimit('sso-per-ip', ip, 'too-many-tries')
  const provider = await findProvider()
  const question = {
    next: next ? nextPath(next) : null,
    proofSince: again ? new Date() : null,
    another,
    testedBy,
  }
  try {
    return { url: await askProvider(provider, question, browserId) }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(explainFailure(error, again))
  }
}

/** The question says which proof is needed, and where the person continues afterwards. */
export interface Question {
  readonly next: string | null
  /** Only a proof since this time counts for a person who is signed in; null when the provider need not ask anew. */
  readonly proofSince: Date | null
  readonly another: boolean
  /** This caller only tests it; null for a sign-in. */
  readonly testedBy: string | null
}

/** These providers want pushed requests, although their metadata do not say so. */
const pushing = new WeakSet<SingleSignOn>()

/**
 * The provider refused the request in the browser's address: it is pushed if the provider wants that, else repeated without
 * parameters that not every provider accepts. It is repeated as it was where the sign-in ended at the provider. The result
 * is the address to open; null when no other way is left.
 */
export async function askOtherwise(
  error: unknown,
  question: Question,
  browserId: string,
): Promise<string | null> {
  const provider = await findProvider()
  const canPush = provider.configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined
  if (hasEndedThere(error)) return askProvider(provider, question, browserId, true, false)
  if (!wantsPushed(error)) return askProvider(provider, question, browserId, true)
  if (!canPush) return null
  pushing.add(requireSingleSignOn())
  return askProvider(provider, question, browserId, true, false)
}

/** `isLast`: nothing else is tried after this. `isPlain`: without parameters that not every provider accepts. */
async function askProvider(
  provider: Provider,
  question: Question,
  browserId: string,
  isLast = false,
  isPlain = isLast,
): Promise<string> {
  const sso = requireSingleSignOn()
  const { configuration, client } = provider
  const metadata = configuration.serverMetadata()
  const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const parameters = {
    redirect_uri: callbackUrl().href,
    scope: sso.scope,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...(isPlain ? plainly(question) : fully(question, metadata)),
  }
  const { next, proofSince, another, testedBy } = question
  await prisma().ssoAttempt.create({
    data: {
      stateDigest: digestToken(state),
      browserDigest: digestToken(browserId),
      nonce,
      codeVerifier,
      next,
      proofSince,
      another,
      testedBy,
      isLast,
      expiresAt: new Date(Date.now() + lifetimeMs),
    },
  })
  if (metadata.require_pushed_authorization_requests !== true && !pushing.has(sso))
    return buildAuthorizationUrl(configuration, parameters).href
  try {
    return (await client.asking(metadata, () => buildAuthorizationUrlWithPAR(configuration, parameters))).href
  } catch (error) {
    if (isPlain || !(error instanceof ResponseBodyError && refusesQuestion(error))) throw error
    return askProvider(provider, question, browserId, true)
  }
}

/** A provider that follows this asks for the person again, or for another one. */
function fully({ proofSince, another }: Question, metadata: ServerMetadata): Record<string, string> {
  if (proofSince) return { ...saysWhen, prompt: 'login', max_age: '0' }
  return { ...saysWhen, ...(another ? { prompt: promptForAnother(metadata) } : {}) }
}

const plainly = ({ proofSince, another }: Question): Record<string, string> =>
  proofSince || another ? { prompt: 'login' } : {}

const PromptsSchema = z.array(z.string()).catch([])

/** The provider offers a choice of accounts, unless it says that it has none. */
function promptForAnother({ prompt_values_supported }: ServerMetadata): string {
  const known = PromptsSchema.parse(prompt_values_supported)
  return known.includes('login') && !known.includes('select_account') ? 'login' : 'select_account'
}

/** An attempt that expires at this time began then. */
export const beganAt = (expiresAt: Date): Date => new Date(expiresAt.getTime() - lifetimeMs)

/** The provider sends the browser back to this address, which must be registered there. */
export const callbackUrl = (): URL => new URL('/api/single-sign-on/callback', env().publicUrl)
