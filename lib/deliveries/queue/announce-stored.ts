import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** The channel on which projectors are woken: deliveries wait for them. */
export const storedChannel = 'delivery_stored'

const limited = limitedLog(logOf('queue'))

/** Milliseconds between two wake-ups, and while more than `muchPerMs` deliveries are stored each millisecond. */
const [pause, pauseWhileMuch] = [20, 100]
const muchPerMs = 1

/**
 * Wakes the projectors at most every 20 ms, after the commit and in a statement of its own: NOTIFY inside the
 * transaction would serialise all commits. While much is stored, every 100 ms: a wake-up is a commit, and projectors
 * fold many at once for less. A lost notification is covered by the projectors' poll.
 */
export function announceStored(pool: pg.Pool): (count?: number) => void {
  let waiting = false
  let stored = 0
  let before = 0
  async function announce() {
    waiting = true
    const began = performance.now()
    const much = stored > (began - before) * muchPerMs
    before = began
    stored = 0
    await wakeProjectors(pool).catch((error: unknown) =>
      limited.warn(causeOf(error), { err: error }, 'The projectors were not woken; they look by themselves'),
    )
    setTimeout(
      () => {
        waiting = false
        if (stored > 0) void announce()
      },
      much ? pauseWhileMuch : pause,
    )
  }
  return (count = 1) => {
    stored += count
    if (!waiting) void announce()
  }
}

/** Wakes the projectors at once. */
export async function wakeProjectors(pool: pg.Pool): Promise<void> {
  await pool.query(`BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${storedChannel}; COMMIT`)
}
