import 'server-only'
import pg from 'pg'
import { OperatorError } from '../operator-error.ts'

/** The tables hold rows of subjects. Rows of one subject are on one server. */
export const distributedTables = [
  'event',
  'event_delivery',
  'identifier',
  'standing',
  'transaction',
  'transaction_note',
] as const

/** Statements join these small tables with distributed ones, so every server has a copy. */
export const referenceTables = ['overview_mute'] as const

/** `distributeTables` distributed this table, or found it distributed. */
export interface DistributedTable {
  readonly table: string
  readonly kind: 'distributed' | 'reference'
  readonly changed: boolean
}

/**
 * Spreads the tables over the servers of a Citus cluster, by the subject. A table that is spread already is left as it is, so the
 * command can be repeated. Throws an `OperatorError` where the database has no Citus.
 */
export async function distributeTables(
  ownerUrl: string,
  say: (table: DistributedTable) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await requireCitus(client)
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name::text AS name FROM citus_tables WHERE citus_table_type IN ('distributed', 'reference')`,
    )
    const spread = new Set(rows.map(({ name }) => name))
    for (const table of referenceTables) {
      if (!spread.has(table)) await client.query('SELECT create_reference_table($1)', [table])
      say({ table, kind: 'reference', changed: !spread.has(table) })
    }
    for (const table of distributedTables) {
      if (!spread.has(table)) await client.query(...DISTRIBUTE(table))
      say({ table, kind: 'distributed', changed: !spread.has(table) })
    }
  } finally {
    await client.end()
  }
}

async function requireCitus(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)
  if (rowCount === 0)
    throw new OperatorError(
      'This database has no Citus. Install Citus on its server, run CREATE EXTENSION citus in this database, and run this again. One PostgreSQL needs none of this.',
    )
}

/** All tables have the same number of shards, so rows of a subject are together. */
const DISTRIBUTE = (table: string): [string, string[]] =>
  table === distributedTables[0]
    ? [`SELECT create_distributed_table($1, 'subject_id')`, [table]]
    : [
        `SELECT create_distributed_table($1, 'subject_id', colocate_with => $2)`,
        [table, distributedTables[0]],
      ]
