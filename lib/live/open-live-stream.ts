import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { countDenied } from '#lib/identity/sessions/denied-requests.ts'
import { readSession } from '#lib/identity/sessions/read-session.ts'
import { findToken } from '#lib/identity/sessions/session-cookie.ts'
import { limitConcurrency } from '#lib/platform/db/concurrency.ts'
import { logOf } from '#lib/platform/log.ts'
import { type Opened, type Sink, type Streams, streams, type WantedStream } from './streams.ts'

const log = logOf('live')

/** A live request is a browser's request for a stream, with the session token of its cookie; null without one. */
export interface LiveRequest extends WantedStream {
  readonly token: string | null
}

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
  const { token } = request
  let caller: Caller | null
  try {
    caller = token === null ? null : await limitLookups(() => readSession(token, new Date()))
    if (!caller) await countDenied(null, '/api/live')
  } catch (error) {
    log.error({ err: error }, 'The session of a stream could not be read')
    return { kind: 'refused', status: 503, retryAfter }
  }
  return caller ? of.open(caller, sink, request) : { kind: 'refused', status: 401 }
}

/** A browser whose stream could not be opened tries again after this many seconds. */
export const retryAfter = 2

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
