import pg from 'pg'

/** Bytes of a table, with what lies outside its rows, and of its indexes. */
interface Size {
  readonly name: string
  readonly table: number
  readonly indexes: number
}

/** What each table of a database takes after a VACUUM, the largest first. */
export async function sizesOf(url: string): Promise<Size[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('VACUUM')
  const { rows } = await client.query<Size>(SIZES)
  await client.end()
  return rows
}

const SIZES = `
  SELECT relname AS name, pg_table_size(oid)::float8 AS table, pg_indexes_size(oid)::float8 AS indexes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  ORDER BY pg_total_relation_size(oid) DESC`
