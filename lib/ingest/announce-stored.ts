import 'server-only'
import type pg from 'pg'

/** The channel on which projectors are woken. */
export const storedChannel = 'delivery_stored'

/**
 * Wakes the projector, at most every 20 ms. After the commit and on its own: a NOTIFY inside would make
 * all commits of the database wait for each other's disk. A lost one is made good by the projector's poll.
 */
export function announceStored(pool: pg.Pool): () => void {
  let waiting = false
  let again = false
  async function announce() {
    waiting = true
    again = false
    await pool.query(`NOTIFY ${storedChannel}`).catch(() => undefined)
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
