import 'server-only'
import type pg from 'pg'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { unionAll } from './index-conditions.ts'
import { learnHourly, rowsOfSlot, slots } from './learn-hourly.ts'
import { movingSteps } from './rules/is-stuck.ts'
import { type UsualMove, type UsualNext, usualNext } from './rules/usual-next.ts'

/** A process keeps the values for this many milliseconds; they are learned again once an hour. */
const keptMs = 60_000

const kept = keepFor(keptMs, async () => (await pool().query<UsualMove>(READ, [])).rows)

/** The usual next steps come from this merchant's own history; null when it says nothing. Throws `NotAllowed`. */
export async function readUsualNext(
  caller: Caller,
  at: Parameters<typeof usualNext>[1],
): Promise<UsualNext | null> {
  requirePermission(caller, 'see-everything')
  return usualNext(await kept.read(), at)
}

/** The next call reads the values again. */
export const forgetUsualNext = (): void => kept.forget()

const READ = `
  SELECT direction, step, NULLIF(reason, '*') AS reason, next, moves, half_ms::float8 AS "halfMs" FROM usual_next`

/** Another step should follow these, and nobody knows how a hold ends. */
const steps: readonly string[] = [...movingSteps, 'ON_HOLD']

/**
 * The database learns once an hour which step followed each step, how often and after how long. It reads the same number of
 * events in every two hours of the last 14 days, and the successor of each.
 */
export const learnUsualNext = (pool: pg.Pool): Promise<void> =>
  learnHourly(pool, 'usual-next', async (client) => {
    const events: EventRow[] = []
    for (const { from, to } of slots())
      events.push(...(await client.query<EventRow>({ ...EVENTS, values: [from, to] })).rows)
    const sample = events.filter(({ step }) => step !== null && steps.includes(step))
    const { rows: moves } = await client.query<MoveRow>(MOVES, [
      sample.map(({ subject_id }) => subject_id),
      sample.map(({ id }) => id),
    ])
    await client.query('DELETE FROM usual_next')
    await client.query(LEARN, [JSON.stringify(moves)])
  })

interface EventRow {
  readonly subject_id: string
  readonly id: string
  readonly step: string | null
}

interface MoveRow {
  readonly direction: string | null
  readonly step: string | null
  readonly next: string | null
  readonly reason: string
  /** Null where the time between the two steps is not known. */
  readonly ms: number | null
}

/** The query finds the lowest id of an event that was first received at this time or later. */
const firstIdAt = (time: string) =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`

const EVENTS = planOnce(
  unionAll(
    directions.map(
      (direction) => `(
    SELECT subject_id, id, sub_type AS step FROM event
    WHERE type = '${direction}' AND id >= ${firstIdAt('$1::timestamptz')} AND id < ${firstIdAt('$2::timestamptz')}
    ORDER BY id DESC LIMIT ${rowsOfSlot})`,
    ),
  ),
)

/** A hold that only changes its reason has not gone on. */
const MOVES = `
  SELECT DISTINCT ON (came.subject_id, came.id)
    came.type AS direction, came.sub_type AS step, went.sub_type AS next,
    CASE WHEN came.sub_type = 'ON_HOLD' THEN COALESCE(NULLIF(came.status, '*'), '') ELSE '' END AS reason,
    CASE WHEN came.placed_before IS NULL AND went.placed_before IS NULL AND went.first_received_at >= came.first_received_at
         THEN (extract(epoch FROM went.first_received_at - came.first_received_at) * 1000)::float8 END AS ms
  FROM event AS came JOIN event AS went ON went.subject_id = came.subject_id AND went.type = came.type
    AND went.position > came.position AND went.sub_type <> came.sub_type
  WHERE came.subject_id = ANY($1::text[]) AND came.id = ANY($2::uuid[])
  ORDER BY came.subject_id, came.id, went.position`

const LEARN = `
  INSERT INTO usual_next (direction, step, reason, next, moves, half_ms)
  SELECT direction, step, COALESCE(reason, '*'), next, count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)
  FROM json_to_recordset($1::json) AS moved (direction text, step text, next text, reason text, ms float8)
  GROUP BY GROUPING SETS ((direction, step, reason, next), (direction, step, next))
  HAVING GROUPING(reason) = 1 OR reason <> ''`
