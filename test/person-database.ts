import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { readQueueState } from '#lib/deliveries/queue/read-queue-state.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { beginErasure, runErasure } from '#lib/people/erasure/erase-user.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { type Projector, startProjector } from '#lib/timeline/projector/projector.ts'
import { addReceiver } from './ingest.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import { aPerson, bodiesOf, hex, type TestPerson, valuesOf } from './sample-people.ts'
import { configure, endPools } from './service.ts'

/** The tests of a file share a database, and each has its own projector. `pool` exists from the first test on. */
export function withPersonDatabase() {
  let database: TestDatabase
  let pool: pg.Pool
  let receiverId: string
  let projectors: Projector[] = []
  let deliveredAt = 0

  beforeAll(async () => {
    database = await createTestDatabase()
    configure({ DATABASE_URL: database.url })
    pool = openPool(database.url)
  })
  beforeEach(async () => {
    receiverId = (await addReceiver(pool)).id
    await project()
  })
  afterEach(() => stopProjectors())
  afterAll(async () => {
    await endPools()
    await pool.end()
    await database.drop()
  })

  const project = async () => void projectors.push(await startProjector({ url: database.url }))

  const stopProjectors = async () => {
    await Promise.all(projectors.map((projector) => projector.stop()))
    projectors = []
  }

  const deliver = (bodies: readonly (object | string)[], at = Date.now() - 60_000) => {
    deliveredAt = at
    return appendPastDeliveries(
      bodies.map((body, index) => ({
        receivedAt: new Date(at + index * 10),
        receiverId,
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      })),
      pool,
    )
  }

  /**
   * The last deliveries come again at once, however long the test has taken, because a later repeat might be a new event.
   */
  const deliverAgain = (bodies: readonly (object | string)[]) => deliver(bodies, deliveredAt + 200)

  const folded = () =>
    expect.poll(async () => (await readQueueState(pool)).waiting, { timeout: 20_000 }).toBe(0)

  async function enter(person: TestPerson) {
    const user = { ...person, country: 'ES', status: 'FULL_USER' }
    await inTransaction(pool, (tx) => saveToDirectory(tx, user, 'sign-in', person.number))
    await pool.query(
      `INSERT INTO session (id, token_digest, user_uuid, method, role, ip, idle_expires_at, expires_at)
       VALUES (gen_random_uuid(), $2, $1, 'code', 'end-user', '203.0.113.7', now() + interval '1 hour', now() + interval '1 hour')`,
      [person.userUuid, crypto.randomBytes(32)],
    )
    await pool.query(`INSERT INTO known_browser (user_uuid, browser_digest) VALUES ($1, '\\x01')`, [
      person.userUuid,
    ])
    await pool.query(CODE, [person.userUuid])
    await pool.query(
      `INSERT INTO challenge (nonce, browser_digest, address, chain_id, message, expires_at)
       VALUES ($1, '', $2, 1, $2, now())`,
      [hex(8), person.targetAddress],
    )
  }

  /** The dashboard knows everything about this person that it can know. */
  async function known() {
    const person = aPerson()
    await enter(person)
    await deliver(bodiesOf(person))
    await folded()
    return person
  }

  /** The text is a whole dump of the database, with bytes as the text that they hold. */
  async function dump(except: readonly string[] = []): Promise<string> {
    const { rows } = await pool.query<{ name: string }>(TABLES)
    const texts = await Promise.all(
      rows
        .filter(({ name }) => !except.includes(name))
        .map(async ({ name }) => {
          const { rows: all } = await pool.query(`SELECT * FROM ${name}`)
          return all.map((row) => JSON.stringify(row, readable)).join('\n')
        }),
    )
    return texts.join('\n').toLowerCase()
  }

  async function expectGone(person: TestPerson, except: readonly string[] = []) {
    const text = await dump(except)
    for (const value of valuesOf(person)) expect(text.includes(value.toLowerCase()), value).toBe(false)
  }

  const erase = async (userUuid: string) => {
    const id = await inTransaction(pool, (tx) => beginErasure(tx, userUuid))
    await runErasure(pool, id)
    return id
  }

  const amounts = async (person: TestPerson) =>
    (
      await pool.query(
        `SELECT uuid, direction, step, reason, amount_fiat, amount_crypto, currency_fiat, chain, flags, started_at, last_move_at, finished_at
         FROM transaction WHERE uuid = ANY($1) ORDER BY uuid`,
        [person.transactions],
      )
    ).rows

  return {
    pool: () => pool,
    project,
    stopProjectors,
    deliver,
    deliverAgain,
    folded,
    enter,
    known,
    dump,
    expectGone,
    erase,
    amounts,
  }
}

const CODE = `
  INSERT INTO code_request (address_id, browser_digest, user_uuid, sent_at) VALUES (gen_random_uuid(), '\\x01', $1, now())`

export const TABLES = `
  SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> '_prisma_migrations'`

function readable(this: unknown, key: string, value: unknown): unknown {
  const given: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value
  if (given instanceof Uint8Array)
    return `${Buffer.from(given).toString('latin1')} ${Buffer.from(given).toString('hex')}`
  return typeof given === 'bigint' ? String(given) : value
}
