import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { startPooler } from '../../../test/pooler.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { checkDatabases, hearsNotifications, requireMayMigrate } from './check-databases.ts'
import { connect } from './connect.ts'
import { openPool } from './pool.ts'
import { openPrisma } from './prisma.ts'

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

test('Rampart works without a replica that does not answer, and logs one line', async () => {
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

test('a server with fewer slots than Rampart may use causes a warning, and a pooler has its own limit', async () => {
  const warnings: string[] = []
  const places = await checkDatabases({ DATABASE_URL: own.url }, (line) => warnings.push(line), 5_000)
  expect(warnings).toEqual([
    `DATABASE_CONNECTIONS is 5000, and the server of DATABASE_URL has ${places} places for all who use it: what finds none waits. Raise max_connections there, or lower DATABASE_CONNECTIONS.`,
  ])
  expect(await checkDatabases({ DATABASE_URL: own.url }, (line) => warnings.push(line), places)).toBe(places)
  const pooler = await startPooler(own.url)
  await checkDatabases({ DATABASE_URL: pooler.url }, (line) => warnings.push(line), 5_000)
  pooler.stop()
  expect(warnings).toHaveLength(1)
})

test('a role that may not create tables is refused with the variable that should name another', async () => {
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

test('notifications arrive directly, and not through a pooler at either address', async () => {
  const pooler = await startPooler(own.url)
  const [direct, pooled] = [openPool(own.url, 1), openPool(pooler.url, 1)]
  expect(await hearsNotifications(direct, own.url)).toBe(true)
  expect(await hearsNotifications(pooled, own.url)).toBe(true)
  const unheard = [pooled, direct].map((pool) => hearsNotifications(pool, pooler.url))
  expect(await Promise.all(unheard)).toEqual([false, false])
  await direct.end()
  await pooled.end()
  pooler.stop()
})

/** The role has these settings, and uses the database by this address. */
async function asRole(name: string, statements: string, work: (url: string) => Promise<void>) {
  await ask(other.url, `CREATE ROLE ${name} LOGIN PASSWORD 'x'; ${statements}`)
  const url = new URL(other.url)
  url.username = name
  url.password = 'x'
  try {
    await work(url.href)
  } finally {
    await ask(other.url, `DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`)
  }
}

test.each([
  ['a schema of its own name', 'CREATE SCHEMA AUTHORIZATION dweller', 'comes to the schema dweller'],
  [
    'another schema',
    'CREATE SCHEMA app; GRANT ALL ON SCHEMA app TO dweller; ALTER ROLE dweller SET search_path = app, public',
    'comes to the schema app (search_path is app, public)',
  ],
  ['none', 'ALTER ROLE dweller SET search_path = nowhere', 'names no schema that this role may use'],
])('a role that comes to %s is refused before anything is written', async (_which, statements, words) => {
  await asRole('dweller', statements, async (url) => {
    const wrong = `${words}`
    await expect(checkDatabases({ DATABASE_URL: url }, () => undefined)).rejects.toThrow(wrong)
    await expect(
      checkDatabases({ DATABASE_URL: other.url, DATABASE_MIGRATE_URL: url }, () => undefined),
    ).rejects.toThrow(/^DATABASE_MIGRATE_URL (comes|names) .* SET search_path = public$/)
    await checkDatabases({ DATABASE_URL: `${url}?options=-csearch_path%3Dpublic` }, () => undefined)
  })
  await ask(other.url, 'DROP SCHEMA IF EXISTS app')
})

test.each(['LATIN1', 'SQL_ASCII'])(
  'a database in %s is refused before anything is written',
  async (encoding) => {
    const name = `in_${encoding.toLowerCase()}`
    await ask(other.url, `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`)
    const url = other.url.replace(/[^/]*$/, name)
    await expect(checkDatabases({ DATABASE_URL: url }, () => undefined)).rejects.toThrow(
      `DATABASE_URL: its encoding is ${encoding}, and Rampart needs UTF8. Nothing was written. Make a database: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    )
    await expect(check({ DATABASE_MIGRATE_URL: url })).rejects.toThrow(
      /^DATABASE_MIGRATE_URL: its encoding is/,
    )
    expect(await ask(url, `SELECT * FROM pg_tables WHERE schemaname = 'public'`)).toEqual([])
    await ask(other.url, `DROP DATABASE ${name}`)
  },
)

/** Each of these settings changes the meaning of a statement or of a result. */
const misleading = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  extra_float_digits: '0',
  client_min_messages: 'error',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  TimeZone: 'Asia/Kolkata',
}

test('settings of a database change neither our statements nor their results', async () => {
  const name = nameOf(own.url)
  for (const [setting, value] of Object.entries(misleading))
    await ask(own.url, `ALTER DATABASE "${name}" SET ${setting} = '${value}'`)
  await check({})
  const reading = `SELECT '2026-02-01T03:04:05.678Z'::timestamptz AS at, 0.1::float8 + 0.2 AS sum, '{NULL}'::text[] AS list,
    'a' = NULL AS none, '\\d' AS text, INTERVAL '1 day' AS day, current_setting('client_min_messages') AS reported`
  const expected = {
    at: new Date('2026-02-01T03:04:05.678Z'),
    sum: 0.1 + 0.2,
    list: [null],
    none: null,
    text: '\\d',
    day: expect.objectContaining({ days: 1 }),
    reported: 'notice',
  }
  const pool = openPool(own.url, 1)
  expect((await pool.query(reading)).rows).toEqual([expected])
  const prisma = openPrisma(pool)
  expect(await prisma.$queryRawUnsafe(`SELECT now() > '2026-01-01' AS later, now() AS at`)).toEqual([
    { later: true, at: expect.any(Date) },
  ])
  await sameTimes(prisma, pool)
  await prisma.$disconnect()
  await pool.end()
  const client = await connect(own.url, 'test')
  expect((await client.query(reading)).rows).toEqual([expected])
  await client.end()
  const pooler = await startPooler(own.url)
  await expect(checkDatabases({ DATABASE_URL: pooler.url }, () => undefined)).rejects.toThrow(
    /^DATABASE_URL: \w+ is \w+, which a pooler keeps Rampart from changing\. Set it: ALTER ROLE \w+ SET \w+ = '.+'$/,
  )
  pooler.stop()
  await ask(own.url, `ALTER DATABASE "${name}" RESET ALL`)
})

/** A time that one of Prisma and SQL writes is the same when the other reads it. */
async function sameTimes(prisma: ReturnType<typeof openPrisma>, pool: pg.Pool) {
  const [stateDigest, at] = [Buffer.from('state'), new Date('2026-02-01T03:04:05.678Z')]
  const attempt = { browserDigest: Buffer.from('browser'), nonce: '', codeVerifier: '', expiresAt: at }
  await prisma.ssoAttempt.create({ data: { stateDigest, ...attempt } })
  const written = `SELECT expires_at AS at, expires_at = '2026-02-01T03:04:05.678Z' AS same FROM sso_attempt`
  expect((await pool.query(written)).rows).toEqual([{ at, same: true }])
  await pool.query(`UPDATE sso_attempt SET expires_at = '2026-07-01T23:59:59Z'`)
  const read = await prisma.ssoAttempt.findFirstOrThrow()
  expect(read.expiresAt).toEqual(new Date('2026-07-01T23:59:59Z'))
  await pool.query('DELETE FROM sso_attempt')
}

test.each(['America/New_York', 'Pacific/Chatham'])(
  'times are the same in a database of the zone %s, also by an option of the address and behind a pooler',
  async (zone) => {
    await ask(own.url, `ALTER DATABASE "${nameOf(own.url)}" SET TimeZone = '${zone}'`)
    const pooler = await startPooler(own.url)
    for (const url of [own.url, pooler.url, `${own.url}?options=-cTimeZone%3D${zone}`]) {
      await checkDatabases({ DATABASE_URL: url }, () => undefined)
      const pool = openPool(url, 1)
      const prisma = openPrisma(pool)
      await sameTimes(prisma, pool)
      await prisma.$disconnect()
      await pool.end()
    }
    pooler.stop()
    await ask(own.url, `ALTER DATABASE "${nameOf(own.url)}" RESET TimeZone`)
  },
)

test.each([
  ['password', 'wrong', /refuses the role or its password .*Correct DATABASE_URL, with signs such as/],
  ['password', '', /asks for a password .*Write it into DATABASE_URL: postgresql:\/\/USER:PASSWORD@…$/],
  [
    'pathname',
    '/nobody-made-this',
    /\/nobody-made-this is not there .*Make it on that server by CREATE DATABASE/,
  ],
  [
    'search',
    '?sslmode=verify-full',
    /takes no TLS .*leave sslmode out of DATABASE_URL where it is this machine/,
  ],
  [
    'hostname',
    'db.invalid',
    /^DATABASE_URL: the database at db\.invalid:\d+\/\w+ has a host name that nobody knows/,
  ],
] as const)('an address with the %s %o is answered with what is wrong in it', async (part, value, words) => {
  const url = new URL(own.url)
  url[part] = value
  const refused = checkDatabases({ DATABASE_URL: url.href }, () => undefined)
  await expect(refused).rejects.toThrow(words)
  await expect(refused).rejects.toThrow(/^DATABASE_URL: /)
})

test.each(['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_MIGRATE_URL'])(
  '%s is refused when its transactions are read-only, with the setting that says so',
  async (variable) => {
    const url = new URL(own.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    await expect(check({ [variable]: url.href })).rejects.toThrow(
      `${variable}: default_transaction_read_only is on in the database ${nameOf(own.url)}`,
    )
    await check({ DATABASE_READ_URL: url.href })
  },
)
