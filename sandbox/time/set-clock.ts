import type { Pool } from 'pg'
import { type QueryClient, transaction } from '../database/transaction.ts'
import type { Clock, ClockReading } from './clock.ts'

/**
 * Sets the clock's time, speed, or both, and reschedules the queue. Jobs being written meanwhile are waited
 * for; later ones use the new clock (`real_time_of`).
 */
export async function setClock(
  { pool, clock }: { pool: Pool; clock: Clock },
  change: { now?: Date; speed?: number },
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
      }
      const values = [reading.realAt, reading.sandboxAt, reading.speed]
      await database.query(RESCHEDULE, values)
      await database.query('UPDATE clock SET real_at = $1, sandbox_at = $2, speed = $3', values)
      // What has become due by this is looked for at once; whoever finds it must see the new time.
      await database.query(`SELECT graphile_worker.add_job('wake')`)
      clock.follow(reading)
    })
  } catch (error) {
    clock.follow(before)
    throw error
  }
}

/** The reading that a new process goes on from. */
export async function readStoredClock(database: QueryClient): Promise<ClockReading> {
  const { rows } = await database.query<Row>('SELECT sandbox_at, real_at, speed::float8 FROM clock')
  const [row] = rows
  if (!row) throw new Error('The clock has no reading')
  return { sandboxAt: row.sandbox_at, realAt: row.real_at, speed: row.speed }
}

interface Row {
  readonly sandbox_at: Date
  readonly real_at: Date
  readonly speed: number
}

/**
 * Converts each job's time by the old reading to sandbox time, and from there to real time by the new one;
 * never too early.
 */
const RESCHEDULE = `
  SELECT graphile_worker.reschedule_jobs(ARRAY[job.id], run_at :=
    $1::timestamptz + ceil(extract(epoch FROM
      clock.sandbox_at + (job.run_at - clock.real_at) * clock.speed::float8 - $2::timestamptz
    ) / $3::numeric * 1000) * interval '1 millisecond')
  FROM graphile_worker.jobs job, clock
  WHERE job.locked_at IS NULL AND job.task_identifier IN ('deliver', 'play')`
