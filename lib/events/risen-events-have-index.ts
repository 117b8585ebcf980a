import 'server-only'
import { pool } from '#lib/db/pool.ts'

let have = false

/** Whether the index of events that came again is made: a start goes on with it beside the traffic. Decision 0021. */
export async function risenEventsHaveIndex(): Promise<boolean> {
  if (have) return true
  const { rowCount } = await pool().query(MADE)
  have = rowCount === 1
  return have
}

const MADE = `SELECT FROM pg_index WHERE indexrelid = to_regclass('event_came_again_id_idx') AND indisvalid`
