import 'server-only'
import type pg from 'pg'

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
