import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { startPooler } from '../../test/pooler.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { checkDatabases, hearsNotifications, requireMayMigrate } from './check-databases.ts'
import { openPool } from './pool.ts'

let own: TestDatabase
let other: TestDatabase
let elsewhere: TemporaryPostgres
beforeAll(async () => {
  own = await createTestDatabase()
  other = await createEmptyDatabase()
  elsewhere = await startTemporaryPostgres('elsewhere', ['max_connections=10'])
})
afterAll(async () => {
  await own.drop()
  await other.drop()
  await elsewhere.stop()
})

const said: string[] = []
const check = (more: object) => {
  said.length = 0
  return checkDatabases({ DATABASE_URL: own.url, ...more }, (line) => said.push(line))
}
const nameOf = (url: string) => new URL(url).pathname.slice(1)

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

const others = ['DATABASE_DIRECT_URL', 'DATABASE_MIGRATE_URL', 'DATABASE_READ_URL']

test.each(others)(
  '%s may name the same database, as another role or by another address',
  async (variable) => {
    await ask(own.url, `CREATE ROLE "same_${variable}" LOGIN PASSWORD 'x'`)
    const url = new URL(own.url)
    url.username = `same_${variable}`
    url.password = 'x'
    await check({ [variable]: url.href })
    expect(said).toEqual([])
    await ask(own.url, `DROP ROLE "same_${variable}"`)
  },
)

test.each(others)(
  '%s is refused when it names another database, and nothing is written there',
  async (variable) => {
    await expect(check({ [variable]: other.url })).rejects.toThrow(
      `${variable} names the database ${nameOf(other.url)}, and DATABASE_URL the database ${nameOf(own.url)}. Both must name the same one; nothing was written. Correct ${variable}.`,
    )
    expect(await ask(other.url, `SELECT * FROM pg_tables WHERE schemaname = 'public'`)).toEqual([])
  },
)

test.each(others)(
  '%s is refused when it names a database of that name on another server',
  async (variable) => {
    const url = await elsewhere.create(`${nameOf(own.url)}_${variable}`)
    await ask(
      url.replace(/\/[^/]*$/, '/postgres'),
      `ALTER DATABASE "${nameOf(url)}" RENAME TO "${nameOf(own.url)}"`,
    )
    const named = url.replace(/\/[^/]*$/, `/${nameOf(own.url)}`)
    await expect(check({ [variable]: named })).rejects.toThrow(
      `${variable} names a database ${nameOf(own.url)} of another server, and DATABASE_URL`,
    )
    await ask(url.replace(/\/[^/]*$/, '/postgres'), `DROP DATABASE "${nameOf(own.url)}"`)
  },
)

test('a replica that does not answer is done without, and one line says so', async () => {
  const away = new URL(own.url)
  away.port = '1'
  await check({ DATABASE_READ_URL: away.href })
  expect(said).toEqual([
    expect.stringMatching(
      /^DATABASE_READ_URL: the database at .* does not answer \(.*\)\..* does without it\.$/,
    ),
  ])
  for (const variable of ['DATABASE_DIRECT_URL', 'DATABASE_MIGRATE_URL'])
    await expect(check({ [variable]: away.href })).rejects.toThrow(`${variable}: the database at`)
})

test('a role that may make no tables is refused by the variable that should name another', async () => {
  await ask(other.url, `CREATE ROLE tenant LOGIN PASSWORD 'x'`)
  const url = new URL(other.url)
  url.username = 'tenant'
  url.password = 'x'
  await expect(requireMayMigrate(url.href)).rejects.toThrow(
    `DATABASE_MIGRATE_URL must name the role that owns the tables: tenant may create none in the database ${nameOf(other.url)}.`,
  )
  await requireMayMigrate(other.url)
  await ask(other.url, 'DROP ROLE tenant')
})

test('notifications are heard directly, and not through a pooler, whichever of both addresses leads through it', async () => {
  const pooler = await startPooler(own.url)
  const [direct, pooled] = [openPool(own.url, 1), openPool(pooler.url, 1)]
  expect(await hearsNotifications(direct, own.url)).toBe(true)
  expect(await hearsNotifications(pooled, own.url)).toBe(true)
  expect(await hearsNotifications(pooled, pooler.url)).toBe(false)
  expect(await hearsNotifications(direct, pooler.url)).toBe(false)
  await direct.end()
  await pooled.end()
  pooler.stop()
})
