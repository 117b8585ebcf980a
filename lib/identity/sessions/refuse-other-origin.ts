import 'server-only'
import { refusalOfOrigin } from '#lib/platform/http/own-origin.ts'
import { anotherOrigin, countDenied } from './count-denied.ts'

/** The answer to a request that came from no page of ours, which is counted; null for one of ours. */
export async function refuseOtherOrigin(request: Request, place: string): Promise<Response | null> {
  const refusal = refusalOfOrigin(request.headers)
  if (refusal === null) return null
  await countDenied(null, anotherOrigin(place))
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(`${refusal.title} ${refusal.next}`, { status: 403, headers })
}
