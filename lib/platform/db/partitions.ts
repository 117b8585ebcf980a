import 'server-only'
import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { UUID } from 'uuidv7'
import { closeConnection, connect } from './connect.ts'
import { advisoryLocks } from './locks.ts'

/** A month of the delivery log is defined by the times in its deliveries' ids. */
export interface DeliveryMonth {
  readonly name: string
  readonly from: string
  /** The id is the first one after the month. */
  readonly to: string
}

/** The id is smaller than any other id of any version. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/** The id is the smallest uuidv7 of a time, in ms since 1970. */
export function firstUuidv7(at: number): string {
  const hex = Math.min(Math.max(0, Math.floor(at)), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The id is of this time, to a millisecond, and differs from any other. */
export const uuidv7Of = (time: Date): string =>
  UUID.fromFieldsV7(time.getTime(), randomInt(2 ** 12), randomInt(2 ** 30), randomInt(2 ** 32)).toString()

/** The month is `offset` months after that of `at`. */
export function deliveryMonth(at: Date, offset = 0): DeliveryMonth {
  const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset))
  const to = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset + 1)
  const month = String(from.getUTCMonth() + 1).padStart(2, '0')
  return {
    name: `delivery_${from.getUTCFullYear()}_${month}`,
    from: from.getTime() > 0 ? firstUuidv7(from.getTime()) : firstId,
    to: firstUuidv7(to),
  }
}

/** The month is that of a table's name, such as `delivery_2026_11`; null for another name. */
export function monthNamed(name: string): DeliveryMonth | null {
  const [, year, month] = /^delivery_(\d{4})_(\d{2})$/.exec(name) ?? []
  return year === undefined ? null : deliveryMonth(new Date(Date.UTC(Number(year), Number(month) - 1)))
}

/** The month begins at this time, in ms since 1970. */
export const monthBegin = ({ from }: DeliveryMonth): number =>
  Number.parseInt(from.replaceAll('-', '').slice(0, 12), 16)

/** The offsets cover the previous month to six months ahead. */
const wanted = [-1, 0, 1, 2, 3, 4, 5, 6]

/** The months have no table yet at `now`. */
export async function missingMonths(client: pg.ClientBase | pg.Pool, now: Date): Promise<DeliveryMonth[]> {
  const months = wanted.map((offset) => deliveryMonth(now, offset))
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [months.map(({ name }) => name)],
  )
  const missing = new Set(rows.map(({ name }) => name))
  return months.filter(({ name }) => missing.has(name))
}

/** The SQL creates a table for a month. Its CHECK lets PostgreSQL attach the table without reading its rows. */
export const createMonth = ({ from, to }: DeliveryMonth, table: string) =>
  `CREATE TABLE ${table} (LIKE delivery INCLUDING ALL,
     CONSTRAINT within_month CHECK (id >= '${from}' AND id < '${to}'));`

/** The SQL makes the table a partition of `parent`. */
export const attachMonth = ({ from, to }: DeliveryMonth, table: string, parent: string) =>
  `ALTER TABLE ${parent} ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}');`

/** `defaultHoldsRows` is true when the default partition has deliveries, which have no month. */
export async function defaultHoldsRows(client: pg.ClientBase | pg.Pool): Promise<boolean> {
  return (await client.query('SELECT FROM delivery_default LIMIT 1')).rowCount === 1
}

/**
 * `ensureDeliveryPartitions` creates the months from the previous one to six ahead of `now`, while the default partition is
 * empty: tests and proofs prepare a database so, an installation by `makeMissingMonths`. Each is created separately and waits
 * at most a second for its lock. It throws PostgreSQL's 55P03 without the lock.
 * @returns the names of the months made
 */
export async function ensureDeliveryPartitions(
  connectionString: string,
  now = new Date(),
): Promise<string[]> {
  const client = await connect(connectionString, 'rampart months', 60_000)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks.partitions])
    return (await defaultHoldsRows(client)) ? [] : await makeMonths(client, now)
  } finally {
    await closeConnection(client)
  }
}

/** `makeMonths` works as `ensureDeliveryPartitions`. The caller holds its lock. */
export async function makeMonths(client: pg.ClientBase, now: Date): Promise<string[]> {
  const made: string[] = []
  for (const month of await missingMonths(client, now)) {
    // The statements are one message and so one transaction. Its locks are not held during a network round trip.
    await client.query(`
      SET LOCAL lock_timeout = '1s';
      ${createMonth(month, month.name)}
      ${attachMonth(month, month.name, 'delivery')}
      ALTER TABLE ${month.name} DROP CONSTRAINT within_month;`)
    made.push(month.name)
  }
  return made
}

/** The bytes of the database, on the first server of a cluster. */
export async function sizeOfDatabase(database: pg.Pool): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  )
  return rows[0]?.bytes ?? 0
}

/** The bytes of these tables with their indexes, on all servers of a cluster. */
export async function sizeOfTables(database: pg.Pool, tables: readonly string[]): Promise<number> {
  const { rows: known } = await database.query<{ cluster: boolean }>(
    `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS cluster`,
  )
  const { rows } = await database.query<{ bytes: number }>(known[0]?.cluster ? OF_CLUSTER : OF_SERVER, [
    tables,
  ])
  return rows[0]?.bytes ?? 0
}

const OF_SERVER = `
  SELECT COALESCE(sum(pg_total_relation_size(name::regclass)), 0)::float8 AS bytes FROM unnest($1::text[]) AS name`

/** A table that is spread is empty on the first server. */
const OF_CLUSTER = `
  SELECT COALESCE(sum(CASE
      WHEN EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = name::regclass)
      THEN citus_total_relation_size(name::regclass) ELSE pg_total_relation_size(name::regclass) END), 0)::float8 AS bytes
  FROM unnest($1::text[]) AS name`
