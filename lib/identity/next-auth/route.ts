import 'server-only'
import crypto from 'node:crypto'
import { cookies } from 'next/headers'
import { NextRequest } from 'next/server'
import NextAuth, { type AuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { z } from 'zod'
import type { RequestContext } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { mostOfBody, readText } from '#lib/platform/http/request-bodies.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { joinAsUser } from '../links/join-team.ts'
import { PasskeySignInSchema, signInWithPasskey } from '../passkeys/verify-passkey.ts'
import { refuseOtherOrigin } from '../sessions/denied-requests.ts'
import { findSetUpCaller, readRequestContext } from '../sessions/read-request.ts'
import { endSession, longestMinutes } from '../sessions/read-session.ts'
import {
  cookie,
  decodeToken,
  isSecure,
  readSessionToken,
  SessionTokenSchema,
  sessionCookie,
} from '../sessions/session-cookie.ts'
import type { SignInOutcome } from '../sign-in/complete-sign-in.ts'
import { signInWithCode } from '../sign-in/sign-in-with-code.ts'
import { signInWithWallet, WalletProofSchema } from '../sign-in/sign-in-with-wallet.ts'

/** next-auth may answer only these requests. A test compares each of them with the table of all entries. */
export const openRequests: ReadonlySet<string> = new Set([
  'GET csrf',
  'POST callback/wallet',
  'POST callback/code',
  'POST callback/passkey',
  'POST signout',
])

interface RouteContext {
  readonly params: Promise<{ readonly nextauth: string[] }>
}

/**
 * Signing in needs only a few requests of next-auth; every other one is answered 404. Its session address
 * answers `{}` and changes nothing, because pages call `requirePage`.
 */
export async function answerAuthRequest(request: Request, context: RouteContext): Promise<Response> {
  const action = `${request.method} ${(await context.params).nextauth.join('/')}`
  if (action === 'GET session') return Response.json({}, { headers: { 'cache-control': 'no-store' } })
  if (!openRequests.has(action)) return refuse(404)
  // next-auth answers 500 to an address that it would not go back to, and no page needs to send one.
  if (new URL(request.url).search !== '') return refuse(400)
  if (request.method === 'POST') return answerForm(request, context)
  if (await forgetUnusableCallback()) return refuse(400)
  return NextAuth(await optionsOf())(request, context)
}

async function answerForm(request: Request, context: RouteContext): Promise<Response> {
  const refused = await refuseOtherOrigin(request, '/api/auth')
  if (refused) return refused
  const { method, headers } = request
  // next-auth answers 500 to invalid JSON; our pages send forms.
  if (/\bjson\b/i.test(headers.get('content-type') ?? '')) return refuse(415)
  // next-auth reads a body of any length.
  const isTooLong = Number(headers.get('content-length') ?? 0) > mostOfBody
  const body = isTooLong ? null : await readText(request)
  if (body === null) return refuse(413)
  if (await forgetUnusableCallback()) return refuse(400)
  if (!(await cookies()).has(cookie('csrf').name)) limited.warn('no-cookies', {}, said)
  return NextAuth(await optionsOf())(new NextRequest(request.url, { method, headers, body }), context)
}

const said =
  'A sign-in or sign-out came without the cookie that this browser was given before, and was refused. The browser keeps no cookies for PUBLIC_URL, or a proxy removes Set-Cookie or Cookie'

const refuse = (status: number) => new Response(null, { status, headers: { 'cache-control': 'no-store' } })

/** Strangers can cause these errors. */
const [limited, limitedAuth] = [limitedLog(logOf('sign-in')), limitedLog(logOf('next-auth'))]

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
        authorize: authorizeWith(WalletProofSchema, signInWithWallet),
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
        limitedAuth.error(
          code,
          { code, err: metadata instanceof Error ? metadata : metadata.error },
          'next-auth failed',
        ),
      warn: (code) => limitedAuth.warn(code, { code }, 'next-auth warns'),
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
      await endEarlierSession(outcome.token, context)
    }
    return outcome
  } catch (error) {
    limited.error(causeOf(error), { err: error }, 'A sign-in failed')
    return wentWrong
  }
}

const wentWrong = { kind: 'refused', why: 'went-wrong' } as const

/** The browser's earlier session ends, so that an old cookie cannot open it. */
async function endEarlierSession(next: string, context: RequestContext) {
  const token = await readSessionToken(await cookies())
  if (token !== null) await endSession(token, 'replaced', context, next)
}

const optionsOf = async () => authOptions((await cookies()).get(cookie('csrf').name)?.value)

/** next-auth also keeps the address in a cookie, which a browser can set to anything: true when it did. */
async function forgetUnusableCallback(): Promise<boolean> {
  const { name, options } = cookie('callback')
  const jar = await cookies()
  const address = jar.get(name)?.value
  if (address === undefined || /^https?:$/.test(URL.parse(address)?.protocol ?? '')) return false
  jar.set(name, '', { ...options, maxAge: 0 })
  return true
}
