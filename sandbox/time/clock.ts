import type { Pool } from 'pg'
import { type QueryClient, transaction } from '../database/pool.ts'

/** A reading links a time of the sandbox to a time of the machine, and says how fast the sandbox's time runs from there. */
interface ClockReading {
  readonly sandboxAt: Date
  readonly realAt: Date
  /** Sandbox seconds per real second are above 0. A frozen clock continues with this speed later. */
  readonly speed: number
  readonly frozen: boolean
}

/**
 * One clock serves everything in the sandbox that expires or waits. It counts from the last reading, which the database also
 * stores so that `real_time_of` can compute when to wake the queue. A frozen clock stays at that reading.
 */
export interface Clock {
  /** The sandbox's time has whole milliseconds. */
  now(): Date
  /** The answer is this clock's time when the machine's clock shows `real`. */
  at(real: Date): Date
  readonly speed: number
  readonly frozen: boolean
  /** The clock runs from `reading` on. Only `setClock` may call this. */
  follow(reading: ClockReading): void
}

export function createClock(first: ClockReading): Clock {
  let reading = first
  const at = (real: Date) => {
    const passed = reading.frozen ? 0 : (real.getTime() - reading.realAt.getTime()) * reading.speed
    // The tiny addition keeps rounding (2.9999999) from dropping a millisecond.
    return new Date(reading.sandboxAt.getTime() + Math.floor(passed + 1e-6))
  }
  return {
    now: () => at(new Date()),
    at,
    get speed() {
      return reading.speed
    },
    get frozen() {
      return reading.frozen
    },
    follow(next) {
      reading = next
    },
  }
}

export const addSeconds = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)

/**
 * `setClock` sets time and speed, freezes or resumes the clock, and reschedules the queue. It waits for jobs being written;
 * later jobs use the new clock (`real_time_of`). What is due by the new time or was due by the old gets a new job.
 */
export async function setClock(
  { pool, clock }: { pool: Pool; clock: Clock },
  change: Partial<{ now: Date; speed: number; frozen: boolean }>,
): Promise<void> {
  const before = await readStoredClock(pool)
  try {
    await transaction(pool, async (database) => {
      await database.query('SELECT 1 FROM clock FOR UPDATE')
      const realAt = new Date()
      const old = clock.at(realAt)
      const reading = {
        sandboxAt: change.now ?? old,
        realAt,
        speed: change.speed ?? clock.speed,
        frozen: change.frozen ?? clock.frozen,
      }
      const { rows } = await database.query<WaitingJobs>(WAITING)
      await database.query('UPDATE clock SET real_at = $1, sandbox_at = $2, speed = $3, frozen = $4', [
        reading.realAt,
        reading.sandboxAt,
        reading.speed,
        reading.frozen,
      ])
      await database.query(RESCHEDULE, [rows[0]?.ids ?? [], rows[0]?.due ?? []])
      await queueDeliveries(database, reading.sandboxAt, old)
      // The queue looks at once for jobs that are now due, and must see the new time.
      await database.query(`SELECT add_job('wake')`)
      clock.follow(reading)
    })
  } catch (error) {
    clock.follow(before)
    throw error
  }
}

/**
 * Each endpoint gets jobs for its deliveries that are due at `now`, and for later ones up to `until`. A delivery may have no
 * job, since a running loop takes its jobs at once, or one that is milliseconds late, since real time has whole milliseconds.
 */
export async function queueDeliveries(database: QueryClient, now: Date, until = now): Promise<void> {
  await database.query(
    `SELECT add_job('deliver', json_build_object('endpoint', endpoint_uuid),
       run_at := real_time_of(due), max_attempts := 100)
     FROM (SELECT DISTINCT endpoint_uuid, GREATEST(due_at, $1) AS due FROM delivery
       WHERE state = 'waiting' AND due_at <= GREATEST($1, $2::timestamptz)) AS waiting`,
    [now, until],
  )
}

/** A new process continues from this reading. */
export async function readStoredClock(database: QueryClient): Promise<ClockReading> {
  const { rows } = await database.query<Row>('SELECT sandbox_at, real_at, speed::float8, frozen FROM clock')
  const [row] = rows
  if (!row) throw new Error('The clock has no reading')
  return { sandboxAt: row.sandbox_at, realAt: row.real_at, speed: row.speed, frozen: row.frozen }
}

interface Row {
  readonly sandbox_at: Date
  readonly real_at: Date
  readonly speed: number
  readonly frozen: boolean
}

/** Each waiting job has its due time by the old reading. The time is text, which keeps every digit. */
const WAITING = `
  SELECT array_agg(id::text) AS ids, array_agg(sandbox_time_of(run_at)::text) AS due
  FROM jobs WHERE locked_at IS NULL AND task_identifier IN ('deliver', 'play')`

interface WaitingJobs {
  readonly ids: string[] | null
  readonly due: string[] | null
}

/** Each job gets the same moment by the new reading, and never runs too early. */
const RESCHEDULE = `
  SELECT reschedule_jobs(ARRAY[id], run_at := real_time_of(due))
  FROM unnest($1::bigint[], $2::timestamptz[]) AS job (id, due)`
