import 'server-only'
import type pg from 'pg'

/** Which database of which cluster this is: the same after a restart or a fail-over, another for a dump that was restored. */
export async function readDatabasePlace(database: Pick<pg.Pool, 'query'>): Promise<string> {
  const { rows } = await database.query<{ place: string }>(PLACE)
  return rows[0]?.place ?? ''
}

const PLACE = `
  SELECT system_identifier || '/' || pg_database.oid AS place
  FROM pg_control_system(), pg_database WHERE datname = current_database()`
