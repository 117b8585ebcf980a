import 'server-only'
import type pg from 'pg'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { learnHourly } from './learn-hourly.ts'
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

/**
 * The values are learned from this many days, in slots of some hours, with a number of events for each slot and direction.
 */
const days = 14
const hoursOfSlot = 2
const ofSlot = 20

/** Another step should follow these, and nobody knows how a hold ends. */
const steps = [...movingSteps, 'ON_HOLD']

/**
 * The database learns once an hour which step followed each step, how often and after how long. It reads the same number of
 * events in every two hours of the last 14 days, and the successor of each, however many there are.
 */
export const learnUsualNext = (pool: pg.Pool): Promise<void> =>
  learnHourly(pool, 'usual-next', async (client) => {
    await client.query('DELETE FROM usual_next')
    await client.query(LEARN, [directions, steps])
  })

/** The query finds the lowest id of an event that was first received at this time or later. */
const firstIdAt = (time: string) =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`

/** A hold that only changes its reason has not gone on. */
const LEARN = `
  WITH sample AS MATERIALIZED (
    SELECT listed.* FROM unnest($1::text[]) AS direction (name),
      generate_series(now() - interval '${days} days', now(), interval '${hoursOfSlot} hours') AS slot (began),
      LATERAL (
        SELECT subject_id, type, sub_type, status, position, first_received_at, placed_before FROM event
        WHERE type = direction.name AND id >= ${firstIdAt('slot.began')}
          AND id < ${firstIdAt(`slot.began + interval '${hoursOfSlot} hours'`)}
        ORDER BY id DESC LIMIT ${ofSlot}
      ) AS listed
  ), moved AS (
    SELECT sample.type AS direction, sample.sub_type AS step, follows.sub_type AS next,
           CASE WHEN sample.sub_type = 'ON_HOLD' THEN COALESCE(NULLIF(sample.status, '*'), '') ELSE '' END AS reason,
           CASE WHEN sample.placed_before IS NULL AND follows.placed_before IS NULL
                     AND follows.first_received_at >= sample.first_received_at
                THEN extract(epoch FROM follows.first_received_at - sample.first_received_at) * 1000 END AS ms
    FROM sample, LATERAL (
      SELECT sub_type, first_received_at, placed_before FROM event
      WHERE event.subject_id = sample.subject_id AND event.type = sample.type
        AND event.position > sample.position AND event.sub_type <> sample.sub_type
      ORDER BY event.position LIMIT 1
    ) AS follows
    WHERE sample.sub_type = ANY($2)
  )
  INSERT INTO usual_next (direction, step, reason, next, moves, half_ms)
  SELECT direction, step, COALESCE(reason, '*'), next, count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)
  FROM moved
  GROUP BY GROUPING SETS ((direction, step, reason, next), (direction, step, next))
  HAVING GROUPING(reason) = 1 OR reason <> ''`
