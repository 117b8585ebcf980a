import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { type UsualMove, type UsualNext, usualNext } from '#lib/domain/transaction/usual-next.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'

/** Milliseconds for which a process keeps what it has read: it is learnt anew once an hour. */
const keptMs = 60_000

let kept: { readonly moves: Promise<readonly UsualMove[]>; readonly until: number } | null = null

/** What usually follows where a transaction stands, from this merchant’s own history; null where it says nothing. Throws `NotAllowed`. */
export async function readUsualNext(
  caller: Caller,
  at: Parameters<typeof usualNext>[1],
): Promise<UsualNext | null> {
  requirePermission(caller, 'see-everything')
  return usualNext(await readMoves(), at)
}

/** The next call reads it again. */
export function forgetUsualNext(): void {
  kept = null
}

function readMoves(): Promise<readonly UsualMove[]> {
  const now = performance.now()
  if (kept && now < kept.until) return kept.moves
  const moves = pool()
    .query<UsualMove>(READ, [])
    .then(({ rows }) => rows)
  kept = { moves, until: now + keptMs }
  moves.catch(forgetUsualNext)
  return moves
}

const READ = `
  SELECT direction, step, NULLIF(reason, '*') AS reason, next, moves, half_ms::float8 AS "halfMs" FROM usual_next`
