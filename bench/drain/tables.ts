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

/** A digest of every row that a projector makes, and of those that still wait, in whatever order they lie. */
export async function contentOf(client: pg.Client): Promise<string> {
  const digests: string[] = []
  for (const table of ['event', 'event_delivery', 'transaction', 'identifier', 'delivery_pending']) {
    const { rows } = await client.query<{ digest: string }>(
      `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(row::text, 0)::numeric), 0) AS digest FROM ${table} AS row`,
    )
    digests.push(`${table} ${rows[0]?.digest}`)
  }
  return digests.join('\n')
}

const SIZES = `
  SELECT relname AS name, pg_table_size(oid)::float8 AS table, pg_indexes_size(oid)::float8 AS indexes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  ORDER BY pg_total_relation_size(oid) DESC`
