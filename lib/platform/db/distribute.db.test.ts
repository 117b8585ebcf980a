import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { type DistributedTable, distributedTables, distributeTables, referenceTables } from './distribute.ts'
import { pool } from './pool.ts'

let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

async function distributed(): Promise<DistributedTable[]> {
  const said: DistributedTable[] = []
  await distributeTables(database.url, (table) => said.push(table))
  return said
}

test('a database without Citus is left as it is', async () => {
  await expect(distributed()).rejects.toThrow('This database has no Citus.')
})

test('each table is spread once, by its subject and beside the events', async () => {
  // These have the names and parameters that Citus documents, and note what they were asked for.
  await pool().query(`
    CREATE TABLE spread (table_name regclass, citus_table_type text, key text, beside text);
    CREATE VIEW citus_tables AS SELECT table_name, citus_table_type FROM spread;
    CREATE FUNCTION create_reference_table(asked regclass) RETURNS void LANGUAGE sql AS
      $$INSERT INTO spread SELECT asked, 'reference', NULL, NULL FROM pg_sleep(0.4)$$;
    CREATE FUNCTION create_distributed_table(asked regclass, key text, colocate_with text) RETURNS void LANGUAGE sql AS
      $$INSERT INTO spread VALUES (asked, 'distributed', key, colocate_with)$$`)
  // Rows of a large table take longer to move than the database lets a statement take.
  await pool().query(
    `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET statement_timeout = 200`,
  )
  const expected = [
    ...referenceTables.map((table) => ({ table, kind: 'reference' })),
    ...distributedTables.map((table) => ({ table, kind: 'distributed' })),
  ]
  expect(await distributed()).toEqual(expected.map((each) => ({ ...each, changed: true })))
  expect(await distributed()).toEqual(expected.map((each) => ({ ...each, changed: false })))
  const { rows } = await pool().query('SELECT table_name::text AS name, key, beside FROM spread ORDER BY 1')
  const first = distributedTables[0]
  expect(rows).toEqual(
    [
      ...referenceTables.map((name) => ({ name, key: null, beside: null })),
      ...distributedTables.map((name) => ({
        name,
        key: 'subject_id',
        beside: name === first ? 'default' : first,
      })),
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  )
})
