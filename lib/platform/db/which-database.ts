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

/** The table `setting` keeps under this key which service the database belongs to. */
export const serviceKey = 'service'

/** A slash at the end of a base URL makes no difference. */
export const isSameService = (one: string, other: string): boolean =>
  one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

/**
 * `bindDatabase` binds a database to one service. The first start stores the service, and a start with another one is
 * refused, because users and endpoints belong to one service.
 * @param service the service's base URL, or `sandbox`
 */
export async function bindDatabase(pool: pg.Pool, service: string): Promise<void> {
  const { rows } = await pool.query<{ value: string }>(
    `INSERT INTO setting (key, value) VALUES ($1, to_jsonb($2::text))
     ON CONFLICT (key) DO UPDATE SET value = setting.value RETURNING value`,
    [serviceKey, service],
  )
  const bound = rows[0]?.value
  if (bound === undefined || isSameService(bound, service)) return
  const moved =
    bound === 'sandbox' || service === 'sandbox'
      ? ''
      : ` Where the same service has another address now: npm run rampart move-service ${service} REASON`
  throw new Error(
    `SERVICE_BASE_URL: this database belongs to ${bound} and cannot be used with ${service}. Give it back, or set another DATABASE_URL or RAMPART_DATA_DIR.${moved}`,
  )
}
