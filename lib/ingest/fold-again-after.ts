import 'server-only'
import type pg from 'pg'
import { firstRetryEarliestSeconds } from '#lib/domain/retry/retry-schedule.ts'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { logOf } from '#lib/log.ts'
import { foldAgainSince } from '#lib/queue/fold-again.ts'

const limited = limitedLog(logOf('ingest'))

/**
 * After refusals were written: folds again what their receivers got since, where they were written so late that a retry may
 * have been folded without them.
 */
export async function foldAgainAfter(
  pool: pg.Pool,
  refusals: readonly { readonly receiverId: string; readonly msAgo: number }[],
): Promise<void> {
  const late = refusals.filter(({ msAgo }) => msAgo > firstRetryEarliestSeconds * 1_000)
  if (late.length === 0) return
  const since = Date.now() - Math.max(...late.map(({ msAgo }) => msAgo))
  await foldAgainSince(pool, since, [...new Set(late.map(({ receiverId }) => receiverId))]).catch(
    (error: unknown) =>
      limited.warn(causeOf(error), { err: error }, 'What came after refusals is not folded with them yet'),
  )
}
