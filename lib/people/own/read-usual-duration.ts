import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isMoving } from '#lib/transactions/rules/is-stuck.ts'

/**
 * Transactions of one direction took this long from their creation to success. The customer who waits for one sees
 * it.
 */
export interface UsualDuration {
  /** Half of them took at most this many seconds. */
  readonly usualSeconds: number
  /** 19 of 20 took at most this many seconds. */
  readonly mostSeconds: number
  /** The figures come from this many transactions. */
  readonly count: number
}

/** The history covers the last `days` and at most `most` transactions; with less than `fewest` there are no figures. */
const days = 90
const most = 500
const fewest = 40

/** A process keeps the figures for this many milliseconds. */
const keptMs = 600_000

const kept = keepFor(keptMs, readFrom)

/** Somebody waits for this transaction. */
interface Awaited {
  readonly direction: Direction | null
  readonly step: string | null
  readonly stuck: boolean
  readonly startedAt: string
}

/**
 * The figures come from this merchant’s own history of the last 90 days. Null when that is too short, when nobody
 * can say how long a step takes, such as a hold, and once the transaction is late or has taken longer than nearly
 * all others.
 */
export async function readUsualDuration(
  caller: Caller,
  { direction, step, stuck, startedAt }: Awaited,
): Promise<UsualDuration | null> {
  requirePermission(caller, 'see-own')
  if (direction === null || stuck || !isMoving(step)) return null
  const usual = await kept.read(direction)
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000
  return usual && seconds <= usual.mostSeconds ? usual : null
}

/** The next call reads the history again. */
export const forgetUsualDurations = (): void => kept.forget()

async function readFrom(direction: Direction): Promise<UsualDuration | null> {
  const { rows } = await pool().query<UsualDurationRow>(READ, [direction, days, most])
  const { count, usualSeconds, mostSeconds } = rows[0] ?? { count: 0, usualSeconds: null, mostSeconds: null }
  if (count < fewest || usualSeconds === null || mostSeconds === null) return null
  return { count, usualSeconds, mostSeconds }
}

interface UsualDurationRow {
  readonly count: number
  /** Both are null where no transaction was found. */
  readonly usualSeconds: number | null
  readonly mostSeconds: number | null
}

/** The index of a direction’s transactions at one step is used, so the number of rows read stays the same. */
const READ = `
  SELECT count(*)::int AS count,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS "usualSeconds",
         percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds) AS "mostSeconds"
  FROM (
    SELECT (details->>'durationSeconds')::float8 AS seconds FROM transaction
    WHERE COALESCE(direction, '') = $1 AND step = 'SUCCESS'
      AND last_move_at >= now() - $2 * interval '1 day'
    ORDER BY last_move_at DESC LIMIT $3
  ) AS latest
  WHERE seconds IS NOT NULL`
