import 'server-only'
import type { ServerResponse } from 'node:http'

/** Milliseconds for which a body may still come after its answer. */
export const drainMs = 30_000

/**
 * Keeps the connection of an answer whose body still comes, where that is to be closed too: only what we write ends at once. Node
 * reads what comes and forgets it. A connection that closes earlier is reset, and the answer may be lost (RFC 9112 §9.6).
 */
export function drain(response: ServerResponse): void {
  const { req: request } = response
  if (request.complete) return
  const { socket } = request
  const close = socket.destroySoon.bind(socket)
  const asked = new AbortController()
  socket.destroySoon = () => {
    asked.abort()
    socket.end()
  }
  response.once('finish', () => {
    const late = setTimeout(() => socket.destroy(), drainMs).unref()
    const end = () => {
      clearTimeout(late)
      socket.destroySoon = close
      if (asked.signal.aborted) close()
    }
    if (request.complete) end()
    else request.once('close', end)
  })
}
