import 'server-only'
import type { IncomingMessage } from 'node:http'

/** What a form, an action or a question to a route may have, in bytes. */
const mostOfBody = 64 * 1024

/** The one route that takes files; it reads them piece by piece, up to a limit of its own. */
const ofFiles = 'POST /api/users/import'

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/**
 * Why a request for a path that Next answers is refused before its body arrives, in the process that takes deliveries;
 * null for what may come. Deliveries are none of them. Of an action that does not say its length, Next itself stops after
 * as much; routes read a body whole, so there a length is wanted.
 */
export function refusalOfBody({ method, headers }: Asked, path: string): 411 | 413 | null {
  if (`${method} ${path}` === ofFiles) return null
  if (Number(headers['content-length'] ?? 0) > mostOfBody) return 413
  return headers['transfer-encoding'] !== undefined && path.startsWith('/api/') ? 411 : null
}
