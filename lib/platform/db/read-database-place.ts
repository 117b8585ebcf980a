import 'server-only'
import type pg from 'pg'

/** Which database this is: the same after a restart or a fail-over, another for a dump that was restored. */
export interface DatabasePlace {
  readonly name: string
  /** Within its cluster. */
  readonly oid: string
  /** A physical replica has that of its primary. Null where this role may not read it: some providers keep it from everybody. */
  readonly cluster: string | null
}

/** Fails no transaction, whatever the role may read. */
export async function readDatabasePlace(database: Pick<pg.Pool, 'query'>): Promise<DatabasePlace> {
  const { rows } = await database.query<{ name: string; oid: string; may: boolean | null }>(DATABASE)
  const { name = '', oid = '', may } = rows[0] ?? {}
  if (!may) return { name, oid, cluster: null }
  const control = await database.query<{ id: string }>(CLUSTER)
  return { name, oid, cluster: control.rows[0]?.id ?? null }
}

/** The same as one text, to compare with that of another time; null where it is not known of which cluster it is. */
export async function readPlaceKey(database: Pick<pg.Pool, 'query'>): Promise<string | null> {
  const { cluster, oid } = await readDatabasePlace(database)
  return cluster === null ? null : `${cluster}/${oid}`
}

const DATABASE = `
  SELECT datname::text AS name, oid::text,
         has_function_privilege(to_regprocedure('pg_control_system()'), 'EXECUTE') AS may
  FROM pg_database WHERE datname = current_database()`

const CLUSTER = 'SELECT system_identifier::text AS id FROM pg_control_system()'
