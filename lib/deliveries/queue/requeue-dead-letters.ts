import 'server-only'
import type pg from 'pg'

/**
 * Has whatever could not be folded tried once more: by a projector that begins, whose code may be newer, or by a person.
 * @returns how many deliveries.
 */
export async function requeueDeadLetters(database: pg.Pool | pg.ClientBase): Promise<number> {
  const { rowCount } = await database.query(RETRY)
  return rowCount ?? 0
}

const RETRY =
  'UPDATE delivery_pending SET dead_lettered_at = NULL, error = NULL WHERE dead_lettered_at IS NOT NULL'
