import 'server-only'
import { countDenied } from '#lib/identity/sessions/denied-requests.ts'
import { findCaller, readSession } from '#lib/identity/sessions/read-session.ts'
import { limitConcurrency } from '#lib/platform/db/concurrency.ts'
import { type Opened, type Sink, type Streams, streams, type WantedStream } from './streams.ts'

/** A live request is a browser's request for a stream, with its cookie or with the session token from it. */
export type LiveRequest = ({ readonly cookie: string | null } | { readonly token: string }) & WantedStream

/** A browser that reconnects by itself names its position in a header, which is newer than the one in the address. */
export function wantedOf(lastEventId: string | null | undefined, url: string | undefined): WantedStream {
  const query = new URLSearchParams(url?.split('?', 2)[1] ?? '')
  return { position: lastEventId || query.get('from'), onlyIfFree: query.has('if-free') }
}

/**
 * `openLiveStream` opens one browser's stream of server-sent events: `{ kind: 'changed', subjects, at }` (`subjects:
 * null` when anything may have changed), `status` for staff, and `beat`. It ends when the browser leaves, its session
 * ends, or a newer stream of the session displaces it.
 */
export async function openLiveStream(
  request: LiveRequest,
  sink: Sink,
  of: Streams = streams(),
): Promise<Opened> {
  const caller = await limitLookups(() =>
    'token' in request ? readSession(request.token, new Date()) : findCaller(request.cookie),
  )
  if (!caller) {
    await countDenied(null, '/api/live')
    return { kind: 'refused', status: 401 }
  }
  return of.open(caller, sink, request)
}

/**
 * Session lookups are limited, because browsers that reconnect together after a restart must not use up the database
 * connections.
 */
const limitLookups = limitConcurrency(4)

export const liveHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // A proxy that buffers answers would delay the messages.
  'x-accel-buffering': 'no',
}

/** A refusal has these headers. `retryAfter` is in seconds. */
export const refusalHeaders = (retryAfter: number | undefined): Record<string, string> => ({
  'cache-control': 'no-store',
  ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
})

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
    { cookie: headers.get('cookie'), ...wantedOf(headers.get('last-event-id'), url) },
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
