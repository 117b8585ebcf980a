import 'server-only'
import NextAuth from 'next-auth'
import { env } from '#lib/env.ts'
import { authOptions } from './options.ts'

interface RouteContext {
  readonly params: Promise<{ readonly nextauth: string[] }>
}

/**
 * The few requests of next-auth that signing in needs; everything else does not exist. Its session address
 * tells and changes nothing: pages ask `requireSession`.
 */
export async function answerAuthRequest(request: Request, context: RouteContext): Promise<Response> {
  const action = `${request.method} ${(await context.params).nextauth.join('/')}`
  if (action === 'GET session') return Response.json({}, { headers: { 'cache-control': 'no-store' } })
  if (!open.has(action)) return new Response(null, { status: 404 })
  if (request.method === 'POST' && request.headers.get('origin') !== env().publicUrl.origin) {
    return new Response(null, { status: 403 })
  }
  if (request.method === 'POST') {
    // next-auth reads a body of any length; browsers say how long theirs is.
    const length = request.headers.get('content-length')
    if (length === null) return new Response(null, { status: 411 })
    if (Number(length) > maxBodyBytes) return new Response(null, { status: 413 })
  }
  return NextAuth(authOptions())(request, context)
}

const open = new Set(['GET csrf', 'POST callback/wallet', 'POST callback/code', 'POST signout'])

const maxBodyBytes = 64 * 1024
