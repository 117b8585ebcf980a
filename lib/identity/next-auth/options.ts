import 'server-only'
import crypto from 'node:crypto'
import { cookies } from 'next/headers'
import type { AuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { z } from 'zod'
import type { RequestContext } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { logOf } from '#lib/platform/log.ts'
import { joinAsUser } from '../links/join-team.ts'
import { PasskeySignInSchema, signInWithPasskey } from '../passkeys/sign-in-with-passkey.ts'
import { findSetUpCaller, readRequestContext } from '../sessions/read-request.ts'
import {
  cookie,
  decodeToken,
  isSecure,
  readSessionToken,
  SessionTokenSchema,
  sessionCookie,
} from '../sessions/session-cookie.ts'
import { endSession, longestMinutes } from '../sessions/session-lifetime.ts'
import type { SignInOutcome } from '../sign-in/complete-sign-in.ts'
import { signInWithCode } from '../sign-in/sign-in-with-code.ts'
import { signInWithWallet } from '../sign-in/sign-in-with-wallet.ts'

const log = logOf('sign-in')
const authLog = logOf('next-auth')

/**
 * next-auth carries only the session's random token; `readSession` decides if it is valid. `csrf` is
 * next-auth's own cookie against forged requests, if there is one.
 */
export function authOptions(csrf?: string): AuthOptions {
  const [newest] = env().nextauthSecrets
  return {
    secret: secretOfCsrf(csrf) ?? newest,
    jwt: { secret: newest, decode: async ({ token }) => (token ? decodeToken(token) : null) },
    useSecureCookies: isSecure(),
    session: { strategy: 'jwt', maxAge: longestMinutes() * 60 },
    pages: { signIn: '/sign-in', error: '/sign-in' },
    cookies: {
      sessionToken: sessionCookie(),
      csrfToken: cookie('csrf'),
      callbackUrl: cookie('callback'),
    },
    providers: [
      Credentials({
        id: 'wallet',
        name: 'Wallet',
        credentials: { message: {}, signature: {} },
        authorize: authorizeWith(WalletSchema, signInWithWallet),
      }),
      Credentials({
        id: 'code',
        name: 'E-mail code',
        credentials: { email: {}, code: {} },
        authorize: authorizeWith(CodeSchema, signInWithCode),
      }),
      Credentials({
        id: 'passkey',
        name: 'Passkey',
        credentials: { answer: {} },
        authorize: authorizeWith(PasskeySignInSchema, signInWithPasskey),
      }),
    ],
    callbacks: {
      // The page itself leads the browser on; an address from the browser is ignored, so it cannot be wrong.
      redirect: ({ baseUrl }) => baseUrl,
      // A browser's "update" request changes nothing: only a sign-in sets the token.
      jwt: ({ token, user, trigger }) =>
        trigger === 'signIn' && user ? { token: user.id } : { token: token.token },
      session: ({ session }) => ({ expires: session.expires }),
    },
    logger: {
      error: (code, metadata) =>
        authLog.error(
          { code, err: metadata instanceof Error ? metadata : metadata.error },
          'next-auth failed',
        ),
      warn: (code) => authLog.warn({ code }, 'next-auth warns'),
    },
    events: {
      signOut: async ({ token }) => {
        const read = SessionTokenSchema.safeParse(token)
        if (read.success) await endSession(read.data.token, 'signed-out', await readRequestContext())
      },
    },
  }
}

/** next-auth checks its cookie with a single secret, so it gets the one that made the cookie. */
function secretOfCsrf(cookie = ''): string | undefined {
  const [token, digest] = cookie.split('|')
  return env().nextauthSecrets.find(
    (secret) => crypto.createHash('sha256').update(`${token}${secret}`).digest('hex') === digest,
  )
}

const WalletSchema = z.object({ message: z.string().max(4_000), signature: z.string().max(20_000) })
const CodeSchema = z.object({ email: z.string().max(254), code: z.string().max(500) })

type SignIn<Form> = (form: Form, context: RequestContext) => Promise<SignInOutcome>

/** The result is the new session's token. A thrown error ends up in a URL, so it is a code of a closed set. */
const authorizeWith =
  <Form>(schema: z.ZodType<Form>, signIn: SignIn<Form>) =>
  async (credentials: unknown): Promise<{ id: string }> => {
    const form = schema.safeParse(credentials)
    const outcome = form.success ? await attemptSignIn(form.data, signIn) : wentWrong
    if (outcome.kind === 'refused') throw new Error(outcome.why)
    return { id: outcome.token }
  }

async function attemptSignIn<Form>(form: Form, signIn: SignIn<Form>): Promise<SignInOutcome> {
  try {
    const context = await readRequestContext()
    const outcome = await signIn(form, context)
    if (outcome.kind === 'signed-in') {
      const settingUp = await findSetUpCaller()
      if (settingUp) await joinAsUser(settingUp, outcome.token, context)
      await endEarlierSession(context)
    }
    return outcome
  } catch (error) {
    log.error({ err: error }, 'A sign-in failed')
    return wentWrong
  }
}

const wentWrong = { kind: 'refused', why: 'went-wrong' } as const

/** The browser's earlier session ends, so that an old cookie cannot open it. */
async function endEarlierSession(context: RequestContext) {
  const token = await readSessionToken(await cookies())
  if (token !== null) await endSession(token, 'replaced', context)
}
