import 'server-only'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { logOf } from '#lib/log.ts'
import { type LiveRequest, liveHeaders, openLiveStream, refusalHeaders } from './open-live-stream.ts'
import type { Sink, Streams } from './streams.ts'

const log = logOf('live')

/** A request for a stream whose connection is handed over, and the headers that every answer has. */
export interface HandedOver {
  readonly request: LiveRequest
  readonly headers: Readonly<Record<string, string>>
}

/** Answers on the connection itself, whose end is that of the stream: one message is one call of the system. */
export function holdConnection({ request, headers }: HandedOver, socket: Socket, streams?: Streams): void {
  const head = headWriter(socket, headers)
  socket.on('error', () => socket.destroy())
  // Only a socket that is read says that the browser has left.
  socket.resume()
  void answer(request, socket, head, streams).catch((error: unknown) => {
    log.error({ err: error }, 'A stream could not be opened')
    if (socket.bytesWritten > 0) socket.destroy()
    else {
      head(500, { 'content-length': '0' })
      socket.end()
    }
  })
}

async function answer(request: LiveRequest, socket: Socket, head: HeadWriter, streams: Streams | undefined) {
  const opened = await openLiveStream(request, toSocket(socket, head), streams)
  if (opened.kind === 'refused') {
    head(opened.status, { ...refusalHeaders(opened.retryAfter), 'content-length': '0' })
    socket.end()
    return
  }
  socket.on('drain', opened.drained)
  if (socket.destroyed) opened.leave()
  else socket.once('close', opened.leave)
}

const toSocket = (socket: Socket, head: HeadWriter): Sink => ({
  begin: () => head(200, liveHeaders),
  write: (bytes) => socket.write(bytes),
  end() {
    socket.end()
    // `end` would wait behind data that a slow reader has not read.
    if (socket.writableLength > 0) socket.destroy()
  },
})

type HeadWriter = (status: number, headers: Readonly<Record<string, string>>) => void

const headWriter =
  (socket: Socket, ofEvery: Readonly<Record<string, string>>): HeadWriter =>
  (status, headers) => {
    const all = { ...ofEvery, ...headers, date: new Date().toUTCString(), connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n'))
  }
