import net, { type AddressInfo } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { claimDatabase, openPool, transaction } from './pool.ts'

test('whoever finds no place at the database waits for one', async () => {
  const cluster = await startTemporaryPostgres('sandbox-places', ['max_connections=6'])
  const url = await cluster.create('places')
  const others = new pg.Pool({ connectionString: url, idleTimeoutMillis: 1_000 })
  const pool = openPool(url)
  // The cluster may end before a connection to it.
  for (const opened of [others, pool]) opened.on('connect', (one) => one.on('error', () => undefined))
  await Promise.all(Array.from({ length: 6 }, () => others.query('SELECT pg_sleep(0.05)')))
  const asked = Array.from({ length: 40 }, () => pool.query('SELECT pg_sleep(0.05)'))
  const client = new Promise((resolve, reject) => {
    pool.connect((error, _connected, release) => (error ? reject(error) : resolve(release())))
  })
  const settled = await Promise.allSettled([...asked, client])
  expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
  await Promise.all([others.end(), pool.end()])
  await cluster.stop()
})

test('times are in UTC, and a database that is not UTF8 is refused', async () => {
  const cluster = await startTemporaryPostgres('sandbox-zone', [`timezone=Asia/Kolkata`])
  const pool = openPool(await cluster.create('zone'))
  expect((await pool.query('SHOW TimeZone')).rows).toEqual([{ TimeZone: 'UTC' }])
  await pool.query(`CREATE DATABASE in_latin ENCODING 'LATIN1' TEMPLATE template0`)
  await pool.end()
  await expect(claimDatabase(cluster.url('in_latin'))).rejects.toThrow(
    `its encoding is LATIN1, and the sandbox needs UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  )
  await cluster.stop()
})

const uses: Readonly<Record<string, (pool: pg.Pool) => Promise<unknown>>> = {
  'in a transaction': (pool) => transaction(pool, (database) => database.query('CREATE TABLE made ()')),
  // The queue gives a connection back without the error.
  'as the queue does': async (pool) => {
    const client = await pool.connect()
    try {
      await client.query('CREATE TABLE made ()')
    } finally {
      client.release()
    }
  },
  'with a callback': async (pool) => {
    const client = await pool.connect()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    client.query('CREATE TABLE made ()', (error) => (error ? reject(error) : resolve()))
    await promise.finally(() => client.release())
  },
}

test.each(Object.entries(uses))(
  'of the connections made while the database was read-only each fails at most once, used %s',
  async (_how, use) => {
    const cluster = await startTemporaryPostgres('sandbox-read-only')
    const url = await cluster.create('moment')
    const admin = new pg.Client({ connectionString: cluster.url('postgres') })
    await admin.connect()
    await admin.query('ALTER DATABASE moment SET default_transaction_read_only = on')
    const pool = openPool(url, { max: 2, idleTimeoutMillis: 0 })
    await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.2)')))
    await admin.query('ALTER DATABASE moment RESET default_transaction_read_only')
    for (let times = 0; times < 2; times++) await expect(use(pool)).rejects.toMatchObject({ code: '25006' })
    await use(pool)
    await pool.end()
    await admin.end()
    await cluster.stop()
  },
)

test('a claim whose connection is lost is taken again, or lost to the sandbox that came first', async () => {
  const cluster = await startTemporaryPostgres('sandbox-claim')
  const url = await cluster.create('claimed')
  const admin = new pg.Client({ connectionString: cluster.url('postgres') })
  await admin.connect()
  const holders = async () => {
    const { rows } = await admin.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`,
    )
    return rows.map(({ pid }) => pid)
  }
  const claim = await claimDatabase(url)
  const [first] = await holders()
  await admin.query('SELECT pg_terminate_backend($1)', [first])
  await expect.poll(holders).toEqual([expect.not.toBeOneOf([first])])
  expect(await claimDatabase(url)).toBeUndefined()

  // Nobody can connect until the other one has the place.
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await admin.query('ALTER DATABASE claimed ALLOW_CONNECTIONS false')
  await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [await holders()])
  await expect.poll(holders).toEqual([])
  const { rows } = await other.query<{ mine: boolean }>('SELECT pg_try_advisory_lock(4010002) AS mine')
  expect(rows).toEqual([{ mine: true }])
  await admin.query('ALTER DATABASE claimed ALLOW_CONNECTIONS true')
  await expect(claim?.lost).rejects.toThrow('Another sandbox')
  await other.end()
  await claim?.release()
  await admin.end()
  await cluster.stop()
})

test('a claim whose connection ended on this side alone ends its old session and is taken again', async () => {
  const cluster = await startTemporaryPostgres('sandbox-claim-half')
  const url = new URL(await cluster.create('half'))
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  const holder = async () => {
    const { rows } = await admin.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`,
    )
    return rows[0]?.pid
  }
  const database = { host: url.hostname, port: Number(url.port) }
  const near: net.Socket[] = []
  const far: net.Socket[] = []
  // The proxy passes no end on, as a network that has forgotten the connection.
  const proxy = net.createServer((socket) => {
    const server = net.connect(database)
    socket.on('data', (chunk) => void server.write(chunk)).on('error', () => undefined)
    server.on('data', (chunk) => void socket.write(chunk)).on('error', () => undefined)
    near.push(socket)
    far.push(server)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const claim = await claimDatabase(Object.assign(new URL(url), { hostname: '127.0.0.1', port }).href)
  if (!claim) throw new Error('There is no claim')

  for (let times = 0; times < 2; times++) {
    const first = await holder()
    near.at(-1)?.destroy()
    const taken = expect.poll(holder).toSatisfy((pid) => pid !== undefined && pid !== first)
    await Promise.race([taken, claim.lost])
  }
  await claim.release()
  await admin.end()
  for (const socket of [...near, ...far]) socket.destroy()
  proxy.close()
  await cluster.stop()
})
