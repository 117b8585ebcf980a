import 'server-only'
import { findToken } from '#lib/identity/sessions/session-cookie.ts'
import { liveHeaders, openLiveStream, refusalHeaders, wantedOf } from './open-live-stream.ts'
import type { Opened, Sink, Streams } from './streams.ts'

/** At most this many bytes wait for a browser that does not read. */
const maxBuffered = 64 * 1024

/**
 * `openLiveWebRequest` serves the API route, for hosts where our own server cannot run. It opens the same streams with
 * the web's request and response.
 */
export async function openLiveWebRequest(request: Request, of?: Streams): Promise<Response> {
  let opened: Opened | undefined
  let sink: Sink | undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        sink = toWeb(controller)
      },
      pull() {
        if (opened?.kind === 'open') opened.drained()
      },
      cancel() {
        if (opened?.kind === 'open') opened.leave()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBuffered }),
  )
  if (!sink) throw new Error('A stream begins when it is made')
  const { headers, signal, url } = request
  opened = await openLiveStream(
    { token: await findToken(headers.get('cookie')), ...wantedOf(headers.get('last-event-id'), url) },
    sink,
    of,
  )
  if (opened.kind === 'refused')
    return new Response(null, { status: opened.status, headers: refusalHeaders(opened.retryAfter) })
  if (signal.aborted) opened.end()
  else signal.addEventListener('abort', opened.end, { once: true })
  return new Response(stream, { headers: liveHeaders })
}

const toWeb = (controller: ReadableStreamDefaultController<Uint8Array>): Sink => ({
  begin: () => undefined,
  write(bytes) {
    controller.enqueue(bytes)
    return (controller.desiredSize ?? 0) > 0
  },
  end: () => controller.close(),
})
