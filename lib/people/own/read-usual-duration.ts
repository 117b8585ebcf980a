import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isMoving } from '#lib/transactions/rules/is-stuck.ts'

/** How long transactions of one direction took from their creation to success, for whoever waits for one. */
export interface UsualDuration {
  /** Half of them took no longer, in seconds. */
  readonly usualSeconds: number
  /** 19 of 20 took no longer, in seconds. */
  readonly mostSeconds: number
  /** How many that was learnt from. */
  readonly count: number
}

/** Days looked back, the latest transactions of these, and the fewest from which anything is said. */
const days = 90
const most = 500
const fewest = 40

/** Milliseconds for which a process keeps what it has read. */
const keptMs = 600_000

const kept = keepFor(keptMs, readFrom)

/** A transaction that somebody waits for. */
interface Awaited {
  readonly direction: Direction | null
  readonly step: string | null
  readonly stuck: boolean
  readonly startedAt: string
}

/**
 * From this merchant’s own history of the last 90 days. Null where that is not enough to say anything, where nobody can say
 * how long it takes, as for a hold, and once it is late or has taken longer than nearly all others.
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

/** The next call reads it again. */
export const forgetUsualDurations = (): void => kept.forget()

async function readFrom(direction: Direction): Promise<UsualDuration | null> {
  const { rows } = await pool().query<UsualDuration>(READ, [direction, days, most])
  const [found] = rows
  return found && found.count >= fewest ? found : null
}

/** By the index of a direction’s transactions at one step: as many rows are read however many there are. */
const READ = `
  SELECT count(*)::int AS count,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS "usualSeconds",
         percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds) AS "mostSeconds"
  FROM (
    SELECT (details->>'durationSeconds')::float8 AS seconds FROM transaction
    WHERE COALESCE(direction, '') = $1 AND COALESCE(step, '') = 'SUCCESS'
      AND last_move_at >= now() - $2 * interval '1 day'
    ORDER BY last_move_at DESC LIMIT $3
  ) AS latest
  WHERE seconds IS NOT NULL`
