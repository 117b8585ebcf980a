import type { Pool } from 'pg'
import { type QueryClient, transaction } from '../database/pool.ts'

/** What the sandbox's clock shows at one moment of the machine's, and how fast it runs from there on. */
interface ClockReading {
  readonly sandboxAt: Date
  readonly realAt: Date
  /** Sandbox seconds per real second, above 0; while the clock is frozen, those that it goes on with. */
  readonly speed: number
  readonly frozen: boolean
}

/**
 * The one clock for everything in the sandbox that expires or waits. It runs relative to the machine's clock
 * from the last reading, which is also stored in the database, where `real_time_of` computes when to wake the
 * queue. A frozen clock stays at that reading.
 */
export interface Clock {
  /** The sandbox's time, in whole milliseconds. */
  now(): Date
  /** What this clock shows when the machine's shows `real`. */
  at(real: Date): Date
  readonly speed: number
  readonly frozen: boolean
  /** Runs from `reading` on. Only `setClock` may call it. */
  follow(reading: ClockReading): void
}

export function createClock(first: ClockReading): Clock {
  let reading = first
  const at = (real: Date) => {
    const passed = reading.frozen ? 0 : (real.getTime() - reading.realAt.getTime()) * reading.speed
    // Adds a tiny amount so that rounding (2.9999999) does not drop a millisecond.
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
 * Sets the clock's time and speed, freezes it or lets it go on, and reschedules the queue. Jobs being written
 * meanwhile are waited for; later ones use the new clock (`real_time_of`).
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
      const reading = {
        sandboxAt: change.now ?? clock.at(realAt),
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
      // What has become due by this is looked for at once; whoever finds it must see the new time.
      await database.query(`SELECT add_job('wake')`)
      clock.follow(reading)
    })
  } catch (error) {
    clock.follow(before)
    throw error
  }
}

/** The reading that a new process goes on from. */
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

/** When each waiting job is due, by the old reading; as text, which keeps every digit. */
const WAITING = `
  SELECT array_agg(id::text) AS ids, array_agg(sandbox_time_of(run_at)::text) AS due
  FROM jobs WHERE locked_at IS NULL AND task_identifier IN ('deliver', 'play')`

interface WaitingJobs {
  readonly ids: string[] | null
  readonly due: string[] | null
}

/** The same moments by the new reading; never too early. */
const RESCHEDULE = `
  SELECT reschedule_jobs(ARRAY[id], run_at := real_time_of(due))
  FROM unnest($1::bigint[], $2::timestamptz[]) AS job (id, due)`
