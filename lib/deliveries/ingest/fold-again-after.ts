import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { foldAgainSince } from '../queue/fold-again.ts'
import { firstRetryEarliestSeconds } from '../rules/retry-schedule.ts'

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
