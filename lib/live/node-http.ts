import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { logOf } from '#lib/log.ts'
import { liveHeaders, openLiveStream, positionOf, refusalHeaders } from './open-live-stream.ts'
import type { Sink, Streams } from './streams.ts'

const log = logOf('live')

/** The fast way: takes `GET /api/live` and answers it. False, and untouched, for any other request. */
export function handleLiveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  streams?: () => Streams,
): boolean {
  if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/api/live') return false
  void answer(request, response, streams?.()).catch((error: unknown) => {
    log.error({ err: error }, 'A stream could not be opened')
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end()
  })
  return true
}

async function answer(request: IncomingMessage, response: ServerResponse, streams: Streams | undefined) {
  const lastEventId = String(request.headers['last-event-id'] ?? '')
  const opened = await openLiveStream(
    {
      cookie: request.headers.cookie ?? null,
      position: positionOf(lastEventId, request.url),
    },
    toNode(response),
    streams,
  )
  if (opened.kind === 'refused') {
    response.writeHead(opened.status, refusalHeaders(opened.retryAfter)).end()
    return
  }
  response.on('drain', opened.drained)
  if (response.destroyed) opened.leave()
  else response.once('close', opened.leave)
}

const toNode = (response: ServerResponse): Sink => ({
  begin() {
    // Its end is that of the connection: a message goes out as it is, in one call of the system and not framed in three.
    response.removeHeader('transfer-encoding')
    response.writeHead(200, liveHeaders)
  },
  write: (bytes) => response.write(bytes),
  end() {
    response.end()
    // `end` would wait behind data that a slow reader has not read.
    if (response.writableLength > 0) response.destroy()
  },
})
