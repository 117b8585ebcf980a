import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { foldAgainSince } from '../queue/enqueue.ts'
import type { RefusalReason } from '../rules/refusal-reasons.ts'
import { firstRetryEarliestSeconds } from '../rules/retry-schedule.ts'

/** A receiver had so many refusals in one minute. Times are ms since 1970. */
export interface RefusalCount {
  readonly receiverId: string
  readonly why: RefusalReason
  readonly minute: number
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
}

/** One address sent so many wrong secrets in one hour. The address is empty for callers beyond the limit. */
export interface WrongSecretCaller {
  readonly receiverId: string
  readonly hour: number
  readonly address: string
  readonly count: number
  readonly lastAt: number
}

/** `writeRefusals` adds to the stored counts. It ignores receiver ids that never existed, since anybody can invent them. */
export async function writeRefusals(pool: pg.Pool, rows: readonly RefusalCount[]): Promise<void> {
  if (rows.length === 0) return
  await pool.query(REFUSALS, [
    rows.map(({ receiverId }) => receiverId),
    rows.map(({ minute }) => new Date(minute)),
    rows.map(({ why }) => why),
    rows.map(({ count }) => count),
    rows.map(({ lastAt }) => new Date(lastAt)),
    rows.map(({ firstAt }) => new Date(firstAt)),
  ])
}

/**
 * `writeWrongSecretCallers` stores the addresses that sent wrong secrets: at most twenty per receiver and hour. Others are
 * counted under an empty address.
 */
export async function writeWrongSecretCallers(
  pool: pg.Pool,
  rows: readonly WrongSecretCaller[],
): Promise<void> {
  if (rows.length === 0) return
  await pool.query(CALLERS, [
    rows.map(({ receiverId }) => receiverId),
    rows.map(({ hour }) => new Date(hour)),
    rows.map(({ address }) => address),
    rows.map(({ count }) => count),
    rows.map(({ lastAt }) => new Date(lastAt)),
    maxAddresses,
  ])
}

const maxAddresses = 20

/** An endpoint at the service may point at a receiver that this database has lost. */
const REFUSALS = `
  INSERT INTO refusal (receiver_id, minute, why, count, last_at, first_at)
  SELECT given.*
  FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[])
    AS given (receiver_id, minute, why, count, last_at, first_at)
  WHERE EXISTS (SELECT FROM receiver WHERE id = given.receiver_id)
    OR EXISTS (SELECT FROM watched_endpoint AS watched WHERE watched.receiver_id = given.receiver_id)
  ORDER BY receiver_id, minute, why
  ON CONFLICT (receiver_id, minute, why)
  DO UPDATE SET count = refusal.count + EXCLUDED.count, last_at = GREATEST(refusal.last_at, EXCLUDED.last_at),
    first_at = LEAST(refusal.first_at, EXCLUDED.first_at)`

const CALLERS = `
  WITH given AS (
    SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::int[], $5::timestamptz[])
      AS given (receiver_id, hour, address, count, last_at)
  ), ranked AS (
    SELECT given.*, known.address IS NOT NULL AS known,
      (SELECT count(*) FROM refused_caller AS of_hour
       WHERE of_hour.receiver_id = given.receiver_id AND of_hour.hour = given.hour)
      + row_number() OVER (
        PARTITION BY given.receiver_id, given.hour ORDER BY known.address IS NOT NULL, given.count DESC
      ) AS rank
    FROM given LEFT JOIN refused_caller AS known USING (receiver_id, hour, address)
  ), named AS (
    SELECT receiver_id, hour, CASE WHEN known OR rank <= $6 THEN address ELSE '' END AS address, count, last_at
    FROM ranked
  )
  INSERT INTO refused_caller (receiver_id, hour, address, count, last_at)
  SELECT receiver_id, hour, address, sum(count), max(last_at) FROM named GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (receiver_id, hour, address)
  DO UPDATE SET count = refused_caller.count + EXCLUDED.count,
    last_at = GREATEST(refused_caller.last_at, EXCLUDED.last_at)`

const limited = limitedLog(logOf('ingest'))

/**
 * Refusals that were written late may explain retries that were already folded. `foldAgainAfter` folds again what those
 * receivers got since.
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
