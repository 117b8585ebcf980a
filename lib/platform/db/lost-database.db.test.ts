import crypto from 'node:crypto'
import dns from 'node:dns'
import net from 'node:net'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { countAudit } from '#lib/audit/counted-entries.ts'
import { insertDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { withEndpointLock } from '#lib/endpoints/endpoint-command.ts'
import { openStreams } from '#lib/live/streams.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { callerWith } from '../../../test/callers.ts'
import { addReceiver, startIngestServer } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { closeConnection, connect } from './connect.ts'
import { inTransaction } from './in-transaction.ts'
import { openListener } from './listen.ts'
import { openPool, outlastFailOver, pool } from './pool.ts'
import { prisma } from './prisma.ts'

let database: TestDatabase
let other: pg.Client
let proxy: Awaited<ReturnType<typeof startSilentProxy>>
/** These errors would have ended the process. */
let fatal: unknown[] = []
const note = (error: unknown) => fatal.push(error)

beforeAll(async () => {
  database = await createTestDatabase()
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
  proxy = await startSilentProxy(Number(new URL(database.url).port))
  configure({ DATABASE_URL: through(proxy.port) })
})
beforeEach(() => {
  fatal = []
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
})
afterEach(() => {
  process.off('uncaughtException', note)
  process.off('unhandledRejection', note)
})
afterAll(async () => {
  await prisma().$disconnect()
  await pool().end()
  proxy.stop()
  await other.end()
  await database.drop()
})

/** The database loses every connection but our own, with a last message or without one, as when its machine is gone. */
const losses = {
  'says that it goes': () =>
    other.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ),
  'is gone without a word': async () => proxy.cut(),
}

test.each(Object.entries(losses))('a connection in use survives a database that %s', async (_how, lose) => {
  const borrowing = openPool(through(proxy.port))
  const client = await borrowing.connect()
  await lose()
  await expect.poll(() => client.query('SELECT 1').catch(() => 'lost')).toBe('lost')
  client.release(true)
  expect((await borrowing.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await borrowing.end()
  expect(fatal).toEqual([])
})

/** The database is read-only for a moment, as after a fail-over by address. Connections made then would stay read-only. */
async function beReadOnly() {
  await other.query(setDefault('SET default_transaction_read_only = on'))
  await losses['says that it goes']()
  await new Promise((resolve) => setTimeout(resolve, 500))
  await other.query(setDefault('RESET default_transaction_read_only'))
}

const setDefault = (what: string) => `
  DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${what}', current_database()); END $$`

const moments = { ...losses, 'is read-only for a moment': beReadOnly }

test.each(Object.entries(moments))('every part goes on after a database that %s', async (_how, lose) => {
  const url = through(proxy.port)
  const server = await startIngestServer(url)
  const listener = openListener(url)
  const projector = await startProjector({ url, listener })
  const streams = openStreams(listener, pool(), {
    limits: { ofSession: 1, ofProcess: 1, heartbeat: 20, check: 20 },
  })
  streams.open(
    callerWith('admin'),
    { begin: () => undefined, write: () => true, end: () => undefined },
    { position: null, onlyIfFree: false },
  )
  const { id, authorization } = await addReceiver(server.pool)
  const send = async () => {
    const body = JSON.stringify({ type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} })
    const answer = await fetch(server.url(id), { method: 'POST', headers: { authorization }, body })
    return answer.status
  }
  expect(await send()).toBe(200)
  for (let times = 0; times < 3; times++) {
    // The promise is observed from the start, because it may fail while the database is being lost.
    const locked = Promise.allSettled([
      withEndpointLock(['one'], () => new Promise((resolve) => setTimeout(resolve, 100))),
    ])
    const sent = Promise.all(Array.from({ length: 20 }, send))
    await new Promise((resolve) => setTimeout(resolve, 10))
    await lose()
    await Promise.allSettled([locked, prisma().setting.count()])
    expect((await sent).filter((status) => status !== 200 && status !== 503)).toEqual([])
  }
  expect(await send()).toBe(200)
  const pending = async () => (await other.query('SELECT FROM delivery_pending')).rowCount
  await expect.poll(pending).toBe(0)
  streams.close()
  await projector.stop()
  await listener.close()
  await server.stop()
  expect(fatal).toEqual([])
})

const BEAT = `INSERT INTO heartbeat (name, at) VALUES ('test', now()) ON CONFLICT DO NOTHING`
const ways: Readonly<Record<string, (made: pg.Pool) => Promise<unknown>>> = {
  'a statement': (made) => made.query(BEAT),
  'a transaction': (made) => inTransaction(made, (tx) => tx.query(BEAT)),
  'a delivery': (made) => {
    const delivery = { id: uuidv7(), receiverId: crypto.randomUUID(), body: Buffer.from('{}') }
    return insertDeliveries(made, [delivery], 5_000)
  },
}
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'written',
    (error: pg.DatabaseError) => error.code,
  )

test.each(
  Object.entries(ways).flatMap(([what, write]) => [
    { what, write, wrong: 'default_transaction_read_only = on', code: '25006' },
    { what, write, wrong: 'search_path = nowhere', code: '42P01' },
  ]),
)(
  'of the connections made under $wrong one fails $what, and none is used afterwards',
  async ({ write, wrong, code }) => {
    const made = await openUnder(wrong, 3)
    const outcomes: unknown[] = []
    for (let times = 0; times < 4; times++) outcomes.push(await outcomeOf(write(made)))
    expect(outcomes).toEqual([code, 'written', 'written', 'written'])
    await made.end()
  },
)

/** The connections of the pool were made while a setting of the database was wrong. */
async function openUnder(setting: string, max: number): Promise<pg.Pool> {
  const set = setting.replaceAll("'", "''")
  await other.query(setDefault(`SET ${set}`))
  const made = openPool(database.url, max)
  await Promise.all(Array.from({ length: max }, () => made.query('SELECT pg_sleep(0.2)')))
  await other.query(setDefault(`RESET ${setting.split(' ')[0]}`))
  return made
}

test('people wait for a database that moves: what only reads is repeated, and a write that had begun is not', async () => {
  const patient = outlastFailOver(openPool(through(proxy.port), 3))
  // Connecting may take a slow machine longer than the pause below.
  await Promise.all([1, 2].map(() => patient.query('SELECT pg_sleep(0.1)')))
  const statements = {
    read: 'SELECT pg_sleep(2), 1 AS one',
    write: `WITH slept AS (SELECT pg_sleep(2)) INSERT INTO heartbeat (name, at) SELECT 'moves', now() FROM slept`,
  }
  const read = patient.query<{ one: number }>(statements.read).then(({ rows }) => rows[0]?.one)
  const write = patient.query(statements.write).then(
    () => 'written',
    (error: Error) => error.message,
  )
  const sleeping = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
  await expect.poll(async () => (await other.query(sleeping)).rowCount).toBe(2)
  // Nothing listens at this port.
  proxy.leadTo(1)
  proxy.cut()
  const later = patient.query<{ two: number }>('SELECT 2 AS two').then(({ rows }) => rows[0]?.two)
  expect(await write).toMatch(/Connection terminated|ECONNRESET/)
  await new Promise((resolve) => setTimeout(resolve, 500))
  proxy.leadTo(Number(new URL(database.url).port))
  expect([await read, await later]).toEqual([1, 2])
  await patient.end()
})

test('a page whose reading is being counted waits for a database that moves, too', async () => {
  const patient = outlastFailOver(openPool(through(proxy.port), 1))
  await patient.query('SELECT 1')
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE audit_counter')
  const counted = countAudit(null, { action: 'search', target: 'moved', outcome: 'done' }, 1, patient)
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1)
  proxy.leadTo(1)
  proxy.cut()
  await holder.end()
  setTimeout(() => proxy.leadTo(Number(new URL(database.url).port)), 500)
  await counted
  const { rows } = await other.query(`SELECT count FROM audit_counter WHERE target = 'moved'`)
  expect([1, 2]).toContain(rows[0]?.count)
  await patient.end()
})

test('people wait for a fail-over also when a single connection was lost long before', async () => {
  const patient = outlastFailOver(openPool(through(proxy.port), 2))
  const used: pg.PoolClient[] = []
  patient.on('acquire', (client) => used.push(client))
  await Promise.all([1, 2].map(() => patient.query('SELECT pg_sleep(0.1)')))
  const read = patient.query('SELECT pg_sleep(0.5)')
  await expect.poll(() => used.length).toBe(3)
  used[2]?.connection.stream.destroy()
  // The other connection answers, and no new one is made.
  await read
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
  onTestFinished(() => void clock.mockRestore())
  proxy.leadTo(1)
  proxy.cut()
  const during = patient.query<{ one: number }>('SELECT 1 AS one')
  setTimeout(() => proxy.leadTo(Number(new URL(database.url).port)), 500)
  expect((await during).rows).toEqual([{ one: 1 }])
  await patient.end()
})

test('nobody waits for ever for a connection while the database answers others', async () => {
  const patient = outlastFailOver(openPool(through(proxy.port), 3))
  const began = performance.now()
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => began + 20 * (now() - began))
  onTestFinished(() => void clock.mockRestore())
  const held = await patient.connect()
  await patient.query('SELECT 1')
  proxy.leadTo(1)
  let isOver = false
  const others = (async () => {
    while (!isOver) await patient.query('SELECT pg_sleep(0.01)')
  })()
  await expect(patient.connect()).rejects.toThrow('Connection terminated')
  isOver = true
  await others
  held.release()
  proxy.leadTo(Number(new URL(database.url).port))
  await patient.end()
})

test.each(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'ENOENT'])(
  'people wait for a database that cannot be found for a moment (%s), but not at the start',
  async (code) => {
    const url = new URL(through(proxy.port))
    url.hostname = 'db.test'
    const nobodyThere = {
      // A file that is missing elsewhere has the code ENOENT too.
      error: Object.assign(new Error(`${code} db.test`), { code, syscall: 'connect' }),
      found: [],
    }
    const known = { error: null, found: [{ address: '127.0.0.1', family: 4 }] }
    let dnsAnswer: typeof nobodyThere | typeof known = nobodyThere
    const lookUp = (_host: string, _options: object, answer: (error: unknown, found: object[]) => void) =>
      void setImmediate(() => answer(dnsAnswer.error, dnsAnswer.found))
    const lookedUp = vi.spyOn(dns, 'lookup').mockImplementation(lookUp as never)
    const patient = outlastFailOver(openPool(url.href, 3))
    const one = () => patient.query<{ one: number }>('SELECT 1 AS one').then(({ rows }) => rows[0]?.one)
    await expect(one()).rejects.toThrow(code)
    dnsAnswer = known
    expect(await one()).toBe(1)
    dnsAnswer = nobodyThere
    proxy.cut()
    const later = one()
    setTimeout(() => {
      dnsAnswer = known
    }, 500)
    expect(await later).toBe(1)
    lookedUp.mockRestore()
    await patient.end()
  },
)

describe('in a database with five slots', () => {
  let cluster: TemporaryPostgres
  let url: string
  beforeAll(async () => {
    cluster = await startTemporaryPostgres('slots', ['max_connections=5'])
    url = await cluster.create('slots')
  })
  afterAll(() => cluster.stop())

  /** A connection of an earlier test may still hold a slot for a moment. */
  async function occupy(slots: number): Promise<pg.Client[]> {
    const clients: pg.Client[] = []
    while (clients.length < slots) clients.push(await connect(url, 'others'))
    return clients
  }

  test('a query waits for a slot', async () => {
    const [some, others] = [openPool(url), openPool(url)]
    const asked = Array.from({ length: 40 }, (_, n) => (n % 2 ? some : others).query('SELECT pg_sleep(0.05)'))
    expect((await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')).toEqual([])
    await Promise.all([some.end(), others.end()])
  })

  test('queries that share the last slot are served in order, however many come later', async () => {
    const others = await occupy(4)
    const pages = openPool(url)
    const come = async () => {
      for (let n = 0; n < 20; n++) await pages.query('SELECT pg_sleep(0.01)')
    }
    const all = await Promise.allSettled(Array.from({ length: 20 }, come))
    expect(all.filter(({ status }) => status === 'rejected')).toEqual([])
    await pages.end()
    for (const client of others) await closeConnection(client)
  })

  test('a pool keeps one slot while others take all that are left', async () => {
    const quiet = openPool(url, 5, 2_000)
    const greedy = openPool(url)
    await quiet.query('SELECT 1')
    const taken: unknown[] = []
    const attempts = vi.spyOn(net.Socket.prototype, 'connect')
    const until = performance.now() + 14_000
    const take = async () => {
      while (performance.now() < until) taken.push(await greedy.query('SELECT pg_sleep(0.2)'))
    }
    const taking = Promise.all(Array.from({ length: 12 }, take))
    // The wait is longer than the idle time of a connection.
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    expect((await quiet.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await taking
    expect(attempts.mock.calls.length).toBeLessThan(300)
    attempts.mockRestore()
    await Promise.all([quiet.end(), greedy.end()])
  })

  test('a connection outside of any pool waits for a slot too', async () => {
    const others = await occupy(5)
    const connected = connect(url, 'endpoint lock')
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const client of others.splice(0, 1)) await closeConnection(client)
    expect((await (await connected).query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await closeConnection(await connected)
    for (const client of others) await closeConnection(client)
  })
})

interface Asked {
  query(sql: string): Promise<{ readonly rows: unknown[] }>
  end(): Promise<void>
}

test.each<[where: string, open: (url: string) => Asked | Promise<Asked>]>([
  ['in a pool', (url) => openPool(url)],
  ['outside of any pool', (url) => connect(url, 'endpoint lock')],
])('a process that is too busy to notice its connection %s tries again', async (_where, open) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  const lookUp = (_host: string, _options: object, answer: (error: null, found: object[]) => void) =>
    void setImmediate(() => {
      answer(null, addresses)
      // The loop takes longer than Node waits for an address. Only then it checks whether the connection exists.
      if (lookedUp.mock.calls.length > 1) return
      for (const until = performance.now() + 300; performance.now() < until; );
    })
  const lookedUp = vi.spyOn(dns, 'lookup').mockImplementation(lookUp as never)
  const url = new URL(database.url)
  url.hostname = 'localhost'
  const busy = await open(url.href)
  expect((await busy.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  lookedUp.mockRestore()
  await busy.end()
})

function through(port: number): string {
  const url = new URL(database.url)
  url.port = String(port)
  return url.href
}
