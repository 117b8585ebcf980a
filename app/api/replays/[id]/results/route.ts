import { NotAllowed, NotSignedIn } from '#lib/auth/refusals.ts'
import { requireSession } from '#lib/auth/require-session.ts'
import { exportResults } from '#lib/replay/export-results.ts'
import { findReplay } from '#lib/replay/find-replay.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** The results of a replay as CSV, streamed. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  try {
    const caller = await requireSession()
    if (!(await findReplay(caller, id))) return new Response('Unknown', { status: 404 })
    return new Response(streamOf(exportResults(caller, id)), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="replay-${id}.csv"`,
        'cache-control': 'no-store',
      },
    })
  } catch (error) {
    if (error instanceof NotSignedIn) return new Response('Sign in', { status: 401 })
    if (error instanceof NotAllowed) return new Response('Your role does not allow this', { status: 403 })
    throw error
  }
}

/** Asked for more only as the browser takes it. */
function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}
