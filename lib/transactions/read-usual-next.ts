import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type UsualMove, type UsualNext, usualNext } from './rules/usual-next.ts'

/** Milliseconds for which a process keeps what it has read: it is learnt anew once an hour. */
const keptMs = 60_000

const kept = keepFor(keptMs, async () => (await pool().query<UsualMove>(READ, [])).rows)

/** What usually follows where a transaction stands, from this merchant’s own history; null where it says nothing. Throws `NotAllowed`. */
export async function readUsualNext(
  caller: Caller,
  at: Parameters<typeof usualNext>[1],
): Promise<UsualNext | null> {
  requirePermission(caller, 'see-everything')
  return usualNext(await kept.read(), at)
}

/** The next call reads it again. */
export const forgetUsualNext = (): void => kept.forget()

const READ = `
  SELECT direction, step, NULLIF(reason, '*') AS reason, next, moves, half_ms::float8 AS "halfMs" FROM usual_next`
