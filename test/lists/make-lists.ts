import pg from 'pg'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import * as rows from './rows.ts'

/**
 * Each transaction has four events. Each person or company has twenty transactions, and two events of its own and two of its
 * account.
 */
const eventsEach = 4
const eventsOfPerson = 20 * eventsEach + 4

/** `makeLists` has to make this many events for the given number of transactions. */
export const eventsOfTransactions = (count: number) =>
  Math.ceil(count / (1 / eventsEach - 1 / eventsOfPerson))

/**
 * `makeLists` adds what the projector would have made of `events` deliveries to a database without any of them. The same
 * `seed` gives the same rows. The log itself is left out, as if it had expired. Unlogged rows come first, then indexes, on
 * two connections.
 */
export async function makeLists(url: string, events: number, seed = 1): Promise<void> {
  await applyMigrations(url)
  const clients = await Promise.all([connect(url), connect(url)])
  const [one, two] = clients
  const setAside = await setIndexesAside(one)
  const people = Math.ceil(events / eventsOfPerson)
  await one.query(rows.before)
  await one.query(rows.people(seed, people))
  await one.query(rows.courses)
  await one.query(rows.made(seed, Math.floor(events / eventsEach) - people))
  await one.query('ANALYZE made')
  await one.query('ANALYZE made_person')
  const finish = async (client: pg.Client, table: Table) => {
    for (const statement of setAside.get(table) ?? []) await client.query(statement)
    await client.query(`VACUUM ANALYZE "${table}"`)
  }
  await Promise.all([
    (async () => {
      await one.query(rows.events(seed))
      await one.query(rows.otherEvents(seed))
      await finish(one, 'event')
      await one.query(rows.standings)
      await finish(one, 'standing')
      await one.query(rows.deliveries)
      await finish(one, 'event_delivery')
    })(),
    (async () => {
      await two.query(rows.transactions)
      await finish(two, 'transaction')
      await two.query(rows.identifiers)
      await two.query(rows.otherIdentifiers)
      await finish(two, 'identifier')
      await two.query('VACUUM ANALYZE person, person_term')
    })(),
  ])
  await one.query(rows.counts)
  await one.query('DROP TABLE made, made_person, made_course, made_before')
  for (const client of clients) await client.end()
}

const tables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier'] as const
type Table = (typeof tables)[number]

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 0; SET jit = off`,
  )
  return client
}

/** The function removes keys and indexes, and answers the statements that create them again. */
async function setIndexesAside(client: pg.Client): Promise<ReadonlyMap<string, string[]>> {
  const { rows: indexes } = await client.query<{
    table: string
    index: string
    made: string
    key: string | null
  }>(
    `SELECT t.relname AS table, i.relname AS index, pg_get_indexdef(i.oid) AS made, pg_get_constraintdef(c.oid) AS key
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
     LEFT JOIN pg_constraint c ON c.conindid = i.oid WHERE t.relname = ANY($1)`,
    [tables],
  )
  for (const { table, index, key } of indexes)
    await client.query(key ? `ALTER TABLE "${table}" DROP CONSTRAINT "${index}"` : `DROP INDEX "${index}"`)
  for (const table of tables) await client.query(`ALTER TABLE "${table}" SET UNLOGGED`)
  const again = indexes.map(({ table, index, made, key }) => ({
    table,
    statement: key ? `ALTER TABLE "${table}" ADD CONSTRAINT "${index}" ${key}` : made,
  }))
  return new Map(
    tables.map((table) => [
      table,
      again.filter((each) => each.table === table).map(({ statement }) => statement),
    ]),
  )
}
