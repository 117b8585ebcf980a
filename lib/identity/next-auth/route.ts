import 'server-only'
import { cookies } from 'next/headers'
import { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { mostOfBody, readText } from '#lib/platform/http/request-bodies.ts'
import { refuseOtherOrigin } from '../sessions/denied-requests.ts'
import { cookie } from '../sessions/session-cookie.ts'
import { authOptions } from './options.ts'

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
  if (!openRequests.has(action)) return new Response(null, { status: 404 })
  // next-auth answers 500 to an address that it would not go back to, and no page needs to send one.
  if (new URL(request.url).search !== '') return new Response(null, { status: 400 })
  if (request.method === 'POST') return answerForm(request, context)
  if (await forgetUnusableCallback()) return new Response(null, { status: 400 })
  return NextAuth(await optionsOf())(request, context)
}

async function answerForm(request: Request, context: RouteContext): Promise<Response> {
  const refused = await refuseOtherOrigin(request, '/api/auth')
  if (refused) return refused
  const { method, headers } = request
  // next-auth answers 500 to invalid JSON; our pages send forms.
  if (/\bjson\b/i.test(headers.get('content-type') ?? '')) return new Response(null, { status: 415 })
  // next-auth reads a body of any length.
  const isTooLong = Number(headers.get('content-length') ?? 0) > mostOfBody
  const body = isTooLong ? null : await readText(request)
  if (body === null) return new Response(null, { status: 413 })
  if (await forgetUnusableCallback()) return new Response(null, { status: 400 })
  return NextAuth(await optionsOf())(new NextRequest(request.url, { method, headers, body }), context)
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
