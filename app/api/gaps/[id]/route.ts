import { NotAllowed, NotSignedIn } from '#lib/auth/refusals.ts'
import { requireSession } from '#lib/auth/require-session.ts'
import { exportGap } from '#lib/gaps/export-gap.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** The transactions that were open in a gap, as CSV, sent while they are read. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  try {
    const lines = await exportGap(await requireSession(), id)
    if (!lines) return Response.json({ error: 'There is no such gap' }, { status: 404 })
    return new Response(streamOf(lines), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="gap-${id}.csv"`,
        'cache-control': 'no-store',
      },
    })
  } catch (error) {
    if (error instanceof NotSignedIn) return Response.json({ error: 'Sign in' }, { status: 401 })
    if (error instanceof NotAllowed)
      return Response.json({ error: 'Your role does not allow this' }, { status: 403 })
    throw error
  }
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await texts.return(undefined)
    },
  })
}
