import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'

const ready = new WeakSet<object>()

/** Whether the index of events that came again is made: a start goes on with it beside the traffic. Decision 0021. */
export async function risenEventsHaveIndex(): Promise<boolean> {
  const database = pool()
  if (ready.has(database)) return true
  const { rowCount } = await database.query(MADE)
  const have = rowCount === 1
  if (have) ready.add(database)
  return have
}

const MADE = `SELECT FROM pg_index WHERE indexrelid = to_regclass('event_came_again_id_idx') AND indisvalid`
