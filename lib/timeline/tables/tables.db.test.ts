import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { eventDeliveryTable, eventTable, identifierTable } from './event.ts'
import { standingTable } from './standing.ts'
import type { TableDefinition } from './table.ts'
import { transactionTable } from './transaction.ts'

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const described: readonly { readonly table: TableDefinition; readonly others: readonly string[] }[] = [
  // The code that takes deliveries out of the log writes these columns.
  { table: eventTable, others: ['envelope', 'body_left_at'] },
  { table: eventDeliveryTable, others: [] },
  { table: transactionTable, others: [] },
  { table: standingTable, others: [] },
  { table: identifierTable, others: [] },
]

test.each(described)(
  'describes each column of $table.name as the database has it',
  async ({ table, others }) => {
    const { rows } = await pool.query<{ name: string; type: string; nullable: boolean }>(
      // Prisma lets lists be null; nobody writes null.
      `SELECT attname AS name, format_type(atttypid, NULL) AS type, NOT attnotnull AND attndims = 0 AS nullable
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
      [table.name],
    )
    const columns = await Promise.all(
      Object.values(table.columns).map(async ({ name, type, nullable }) => {
        const named = await pool.query<{ type: string }>('SELECT format_type($1::regtype, NULL) AS type', [
          type,
        ])
        return { name, type: named.rows[0]?.type, nullable }
      }),
    )
    expect(columns.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      rows.filter(({ name }) => !others.includes(name)),
    )
  },
)
