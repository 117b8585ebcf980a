import 'server-only'
import type pg from 'pg'

/** The place identifies a database. It is the same after a restart or a fail-over, and differs for a restored dump. */
export interface DatabasePlace {
  readonly name: string
  /** The oid is unique within the cluster. */
  readonly oid: string
  /** A physical replica has the cluster of its primary. It is null when this role may not read it, as at some providers. */
  readonly cluster: string | null
}

/** `readDatabasePlace` never fails the transaction, whatever the role may read. */
export async function readDatabasePlace(database: Pick<pg.Pool, 'query'>): Promise<DatabasePlace> {
  const { rows } = await database.query<{ name: string; oid: string; may: boolean | null }>(DATABASE)
  const { name = '', oid = '', may } = rows[0] ?? {}
  if (!may) return { name, oid, cluster: null }
  const control = await database.query<{ id: string }>(CLUSTER)
  return { name, oid, cluster: control.rows[0]?.id ?? null }
}

/** The key is the place as one text, for comparisons over time; null when the cluster is unknown. */
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
 * `bindDatabase` binds a database to one service. The first start stores the service, and a start with another one is
 * refused, because users and endpoints belong to one service.
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
