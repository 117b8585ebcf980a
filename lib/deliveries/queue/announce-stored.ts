import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** Projectors listen on this channel, and wake up for new deliveries. */
export const storedChannel = 'delivery_stored'

const limited = limitedLog(logOf('queue'))

/**
 * Two wake-ups are this many milliseconds apart. The second pause applies while more than `muchPerMs` deliveries are stored
 * per millisecond.
 */
const [pause, pauseWhileMuch] = [20, 100]
const muchPerMs = 1

/**
 * `announceStored` wakes the projectors at most every 20 ms, in a separate statement after the commit: NOTIFY inside the
 * transaction would serialise all commits. Under load it is 100 ms, because each wake-up is a commit and large batches fold
 * faster. The projectors' poll covers a lost notification.
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

export async function wakeProjectors(pool: pg.Pool): Promise<void> {
  await pool.query(`BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${storedChannel}; COMMIT`)
}
