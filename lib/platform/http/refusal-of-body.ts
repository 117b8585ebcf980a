import 'server-only'
import type { IncomingMessage } from 'node:http'

/** What a form, an action or a question to a route may have, in bytes. */
export const mostOfBody = 64 * 1024

/** The one route that takes files; it reads them piece by piece, up to a limit of its own. */
const ofFiles = 'POST /api/users/import'

/** The most bytes of a body that Next is given; null where a route counts them itself. */
export const limitOfBody = (method: string | undefined, path: string): number | null =>
  `${method} ${path}` === ofFiles ? null : mostOfBody

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/**
 * Why a request for a path that Next answers is refused before its body arrives, in the process that takes deliveries;
 * null for what may come. Deliveries are none of them. What comes in pieces, as some proxies send everything, is counted by
 * `holdBody`.
 */
export function refusalOfBody({ method, headers }: Asked, path: string): 413 | null {
  const limit = limitOfBody(method, path)
  return limit !== null && Number(headers['content-length'] ?? 0) > limit ? 413 : null
}
