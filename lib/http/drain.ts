import 'server-only'
import type { IncomingMessage } from 'node:http'

/** Milliseconds for which a body still comes after its refusal. */
export const drainMs = 30_000

/**
 * Closes the connection of a request that was answered when its body does not end within a while. Until then Node reads it and
 * forgets it: a connection that closes while a body still comes is reset, and the answer may be lost (RFC 9112 §9.6).
 */
export function drain(request: IncomingMessage): void {
  if (request.complete) return
  const late = setTimeout(() => request.socket.destroy(), drainMs).unref()
  request.once('close', () => clearTimeout(late))
}
