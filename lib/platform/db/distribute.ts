import 'server-only'
import type pg from 'pg'
import { OperatorError } from '../operator-error.ts'
import { closeConnection, connect } from './connect.ts'

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
  const client = await connect(ownerUrl, 'rampart distribute', undefined, 'keeps-sessions')
  try {
    await requireCitus(client)
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name::text AS name FROM citus_tables WHERE citus_table_type IN ('distributed', 'reference')`,
    )
    const spread = new Set(rows.map(({ name }) => name))
    for (const table of referenceTables) {
      if (!spread.has(table)) await makeReference(client, table)
      say({ table, kind: 'reference', changed: !spread.has(table) })
    }
    for (const table of distributedTables) {
      if (!spread.has(table)) await distribute(client, table)
      say({ table, kind: 'distributed', changed: !spread.has(table) })
    }
  } finally {
    await closeConnection(client)
  }
}

async function requireCitus(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('citus_tables') IS NOT NULL AS found`,
  )
  if (!rows[0]?.found)
    throw new OperatorError(
      'This database has no Citus. Install Citus on its server, run CREATE EXTENSION citus in this database, and run this again. One PostgreSQL needs none of this.',
    )
}

const makeReference = (client: pg.Client, table: string) =>
  client.query<{ create_reference_table: string | null }>('SELECT create_reference_table($1)', [table])

/** All tables have the same number of shards, so rows of a subject are together. */
const distribute = (client: pg.Client, table: string) =>
  client.query<{ create_distributed_table: string | null }>(
    `SELECT create_distributed_table($1, 'subject_id', colocate_with => $2)`,
    [table, table === distributedTables[0] ? 'default' : distributedTables[0]],
  )
