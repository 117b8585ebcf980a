import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { logOf } from '#lib/log.ts'
import { storedChannel } from './stored-channel.ts'

const limited = limitedLog(logOf('queue'))

/**
 * Wakes the projectors at most every 20 ms, after the commit and in a statement of its own: NOTIFY inside the
 * transaction would serialise all commits. A lost notification is covered by the projectors' poll.
 */
export function announceStored(pool: pg.Pool): () => void {
  let waiting = false
  let again = false
  async function announce() {
    waiting = true
    again = false
    await wakeProjectors(pool).catch((error: unknown) =>
      limited.warn(causeOf(error), { err: error }, 'The projectors were not woken; they look by themselves'),
    )
    setTimeout(() => {
      waiting = false
      if (again) void announce()
    }, 20)
  }
  return () => {
    if (waiting) again = true
    else void announce()
  }
}

/** Wakes the projectors at once. */
export async function wakeProjectors(pool: pg.Pool): Promise<void> {
  await pool.query(`NOTIFY ${storedChannel}`)
}
