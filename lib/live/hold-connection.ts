import 'server-only'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { logOf } from '#lib/platform/log.ts'
import {
  type LiveRequest,
  liveHeaders,
  openLiveStream,
  refusalHeaders,
  retryAfter,
} from './open-live-stream.ts'
import type { Sink, Streams } from './streams.ts'

const log = logOf('live')

/** A request for a stream is handed over with its connection and the headers of every answer. */
export interface HandedOver {
  readonly request: LiveRequest
  readonly headers: Readonly<Record<string, string>>
}

/** Pending connections are waiting for the check of their session, or were refused and are still closing. */
const mostOfNobody = 500
const ofNobody = new Set<Socket>()

/** A browser has this many milliseconds to close a connection that has ended. Nothing else closes it. */
const closingMs = 1_000

/**
 * `holdConnection` answers on the socket itself, so the stream ends with the socket and each message is one system
 * call.
 */
export function holdConnection({ request, headers }: HandedOver, socket: Socket, streams?: Streams): void {
  const head = headWriter(socket, headers)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => ofNobody.delete(socket))
  // The socket must be read, because only a reader notices that the browser has left.
  socket.resume()
  if (ofNobody.size >= mostOfNobody) {
    head(503, { ...refusalHeaders(retryAfter), 'content-length': '0' })
    // These connections are too many to wait for.
    socket.end(() => socket.destroy())
    return
  }
  ofNobody.add(socket)
  void answer(request, socket, head, streams).catch((error: unknown) => {
    log.error({ err: error }, 'A stream could not be opened')
    if (socket.bytesWritten > 0) socket.destroy()
    else {
      head(500, { ...refusalHeaders(undefined), 'content-length': '0' })
      endSoon(socket)
    }
  })
}

async function answer(request: LiveRequest, socket: Socket, head: HeadWriter, streams: Streams | undefined) {
  const opened = await openLiveStream(request, toSocket(socket, head), streams)
  if (opened.kind === 'refused') {
    head(opened.status, { ...refusalHeaders(opened.retryAfter), 'content-length': '0' })
    endSoon(socket)
    return
  }
  ofNobody.delete(socket)
  socket.on('drain', opened.drained)
  if (socket.destroyed) opened.leave()
  else socket.once('close', opened.leave)
}

const toSocket = (socket: Socket, head: HeadWriter): Sink => ({
  begin: () => head(200, liveHeaders),
  write: (bytes) => socket.write(bytes),
  end() {
    endSoon(socket)
    // `end` would wait behind data that a slow reader has not read.
    if (socket.writableLength > 0) socket.destroy()
  },
})

function endSoon(socket: Socket) {
  socket.end()
  setTimeout(() => socket.destroy(), closingMs).unref()
}

type HeadWriter = (status: number, headers: Readonly<Record<string, string>>) => void

const headWriter =
  (socket: Socket, ofEvery: Readonly<Record<string, string>>): HeadWriter =>
  (status, headers) => {
    const all = { ...ofEvery, ...headers, date: new Date().toUTCString(), connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n'))
  }
