import 'server-only'
import type { Caller } from './caller.ts'
import type { RequestContext } from './request-context.ts'

/** Stub. */
export async function endSession(
  _caller: Caller,
  _why: 'signed-out',
  _context: RequestContext,
): Promise<void> {}
