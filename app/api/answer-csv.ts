import type { Caller } from '#lib/request/caller.ts'
import { answerCaller, json } from './answer-caller.ts'

/** Answers a signed-in caller with a file of CSV, sent while it is read: 404 when there is none, 401, 403. */
export const answerCsv = (
  request: Request,
  filename: string,
  read: (caller: Caller) => Promise<AsyncGenerator<string> | null>,
): Promise<Response> =>
  answerCaller(request, async (caller) => {
    const lines = await read(caller)
    if (!lines) return json({ error: 'There is nothing at this address' }, 404)
    return new Response(streamOf(lines), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${filename}"`,
        'cache-control': 'no-store',
      },
    })
  })

/** Asked for more only as the browser takes it. */
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
