import { readRequestContext } from '#lib/identity/sessions/read-request.ts'
import { endByProvider } from '#lib/identity/single-sign-on/provider-sessions.ts'
import { readText } from '#lib/platform/http/request-bodies.ts'
import { json } from '../../answer-caller.ts'

/** The provider of single sign-on reports here that a session has ended. Only its signature counts, no cookie. */
export async function POST(request: Request): Promise<Response> {
  const text = await readText(request)
  const token = new URLSearchParams(text ?? '').get('logout_token')
  const outcome = await endByProvider(token, await readRequestContext())
  if (outcome.kind === 'refused')
    return json({ error: 'invalid_request', error_description: outcome.why }, 400)
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } })
}
