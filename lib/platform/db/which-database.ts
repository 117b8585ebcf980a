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

/**
 * A database belongs to one service: the first start writes down which, a start with another is refused,
 * since users and endpoints of one service mean nothing to another.
 * @param service the service's base URL, or `sandbox`
 */
export async function bindDatabase(pool: pg.Pool, service: string): Promise<void> {
  const { rows } = await pool.query<{ value: string }>(
    `INSERT INTO setting (key, value) VALUES ('service', to_jsonb($1::text))
     ON CONFLICT (key) DO UPDATE SET value = setting.value RETURNING value`,
    [service],
  )
  const bound = rows[0]?.value
  if (bound !== service)
    throw new Error(
      `SERVICE_BASE_URL: this database belongs to ${bound} and cannot be used with ${service}. Give it back, or set another DATABASE_URL or RAMPART_DATA_DIR.`,
    )
}
