import { NotSignedIn } from '#lib/auth/refusals.ts'
import { requireSession } from '#lib/auth/require-session.ts'
import { openStream } from '#lib/live/open-stream.ts'

export const dynamic = 'force-dynamic'

export async function GET(request: Request): Promise<Response> {
  try {
    const caller = await requireSession()
    const lastEventId = request.headers.get('last-event-id')
    return new Response(openStream(caller, { lastEventId, signal: request.signal }), { headers })
  } catch (error) {
    if (error instanceof NotSignedIn) return new Response(null, { status: 401 })
    throw error
  }
}

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // A proxy that gathers answers would hold the news back.
  'x-accel-buffering': 'no',
}
