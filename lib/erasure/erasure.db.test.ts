import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { openPool } from '#lib/db/pool.ts'
import { appendPastDeliveries } from '#lib/ingest/append-past-deliveries.ts'
import { tellAdmins } from '#lib/notices/tell-admins.ts'
import { type Projector, startProjector } from '#lib/projector/projector.ts'
import { rebuild } from '#lib/projector/rebuild.ts'
import { readQueueState } from '#lib/queue/read-queue-state.ts'
import { NotAllowed, Refused, SignInAgain } from '#lib/request/refusals.ts'
import { noteUsers } from '#lib/user-lookup/note-users.ts'
import { erasedAddresses } from '#lib/users/erased-users.ts'
import { saveToDirectory } from '#lib/users/save-to-directory.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { addReceiver } from '../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { digestOf } from '../../test/projections.ts'
import { configure } from '../../test/service.ts'
import { allowExport, exportUser } from './allow-export.ts'
import { beginErasure } from './begin-erasure.ts'
import { endOldData } from './end-old-data.ts'
import { eraseUser } from './erase-user.ts'
import { acquireErasure } from './erasure-store.ts'
import { findErasure } from './find-erasure.ts'
import { runErasure } from './run-erasure.ts'
import { tables } from './tables.ts'
import { userData } from './user-data.ts'

let database: TestDatabase
let pool: pg.Pool
let receiverId: string
let projectors: Projector[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  configure({ DATABASE_URL: database.url })
  pool = openPool(database.url)
})
beforeEach(async () => {
  receiverId = (await addReceiver(pool)).id
  await project()
})
afterEach(async () => {
  await Promise.all(projectors.map((projector) => projector.stop()))
  projectors = []
})
afterAll(async () => {
  await globalThis.rampartPool?.end()
  await pool.end()
  await database.drop()
})

const project = async () => void projectors.push(await startProjector({ url: database.url }))

interface TestPerson {
  readonly userUuid: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly targetAddress: string
  readonly iban: string
  readonly account: string
  readonly accountNumber: string
  readonly linked: string
  readonly hash: string
  readonly number: string
  readonly transactions: readonly string[]
}

const digits = (count: number) => Array.from({ length: count }, () => crypto.randomInt(10)).join('')
const hex = (bytes: number) => crypto.randomBytes(bytes).toString('hex')

const aPerson = (): TestPerson => ({
  userUuid: crypto.randomUUID(),
  email: `Mail.${hex(5)}@demo.test`,
  firstName: `First${hex(4)}`,
  lastName: `Last${hex(4)}`,
  targetAddress: `0x${hex(20)}`,
  iban: `GB${digits(20)}`,
  account: crypto.randomUUID(),
  accountNumber: digits(12),
  linked: crypto.randomUUID(),
  hash: `0x${hex(32)}`,
  number: `KD-${hex(5)}`,
  transactions: [crypto.randomUUID(), crypto.randomUUID()],
})

/** Every value that tells of the person; ids of transactions stay, since amounts do. */
const valuesOf = ({ transactions: _, ...values }: TestPerson) => Object.values(values)

/** Deliveries of every kind about somebody. */
function bodiesOf(person: TestPerson): object[] {
  const { userUuid: uuid, iban, account, accountNumber, linked, hash, targetAddress, email } = person
  const name = `${person.firstName} ${person.lastName}`
  const [first = '', second = ''] = person.transactions
  const fiat = {
    transactionUuid: first,
    direction: 'fiatToCrypto',
    amountFiat: 12.34,
    currencyFiat: 'EUR',
    walletAddress: targetAddress,
    internalBankAccountId: account,
    senderDetails: { senderName: name, senderCountry: 'ES', accountDetails: { currency: 'EUR', iban } },
    linkedBankAccountUuid: linked,
  }
  const steps = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'].map((subType, index) => ({
    type: 'fiatToCrypto',
    subType,
    uuid: index === 1 ? uuid.toUpperCase() : uuid,
    data: {
      status: subType,
      ...fiat,
      ...(index > 1 && { amountCrypto: 13.5, transactionHash: hash, chain: 'base' }),
    },
  }))
  const beneficiaryDetails = { receiverName: name, accountDetails: { accountNumber, bankName: 'A Bank' } }
  const out = {
    transactionUuid: second,
    direction: 'cryptoToFiat',
    amountCrypto: 5,
    sendingAddress: targetAddress,
  }
  const about = (type: string, subType: string, data: object) => ({ type, subType, uuid, data })
  return [
    ...steps,
    about('cryptoToFiat', 'PENDING', { ...out, beneficiaryDetails }),
    about('senderNameMismatch', 'MISMATCH', { transactionUuid: first, senderName: name, expectedName: name }),
    about('unblockBankAccount', 'statusUpdate', {
      uuid: account,
      iban,
      account_number: accountNumber,
      status: 'ACTIVE',
    }),
    about('unblockBankAccount', 'statusUpdate', { uuid: account, iban, status: 'DISABLED' }),
    about('linkBankAccount', 'statusUpdate', {
      uuid: linked,
      status: 'FAILED',
      error: `${name} has no account`,
    }),
    about('KYC', 'statusUpdate', { status: 'FULL_USER', applicant: { name, email, born: '1990-01-02' } }),
    about('AML', 'statusUpdate', { status: 'PASSED', notes: [`${name} is fine`] }),
    about('walletCreated', 'WALLET_CREATED', { walletAddress: targetAddress, chain: 'base' }),
    about('otpNotification', 'EMAIL_DELIVERY_FAILED', {
      emailAddress: email,
      diagnosticCode: `550 <${email}>`,
    }),
    about('newType', 'x', { [email]: name }),
  ]
}

const deliver = (bodies: readonly (object | string)[]) =>
  appendPastDeliveries(
    bodies.map((body, index) => ({
      receivedAt: new Date(Date.now() - 60_000 + index * 10),
      receiverId,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })),
    pool,
  )

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

const CODE = `INSERT INTO code_request (user_uuid, browser_digest, sent_at) VALUES ($1, '\\x01', now())`

/** Somebody of whom everything is known that can be. */
async function known() {
  const person = aPerson()
  await enter(person)
  await deliver(bodiesOf(person))
  await folded()
  return person
}

/** Everything that a dump of the database says, bytes as the text they hold. */
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

const TABLES = `
  SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> '_prisma_migrations'`

function readable(this: unknown, key: string, value: unknown): unknown {
  const given: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value
  if (given instanceof Uint8Array)
    return `${Buffer.from(given).toString('latin1')} ${Buffer.from(given).toString('hex')}`
  return typeof given === 'bigint' ? String(given) : value
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

it('takes a person out of every table, and keeps the amounts and everybody else', async () => {
  const [ana, bob] = [await known(), await known()]
  const before = { ana: await amounts(ana), bob: await amounts(bob), text: await dump() }
  for (const value of valuesOf(ana)) expect(before.text).toContain(value.toLowerCase())
  const events = (await pool.query('SELECT count(*) FROM event')).rows
  await erase(ana.userUuid)
  await expectGone(ana)
  expect(await amounts(ana)).toEqual(before.ana)
  expect(await amounts(bob)).toEqual(before.bob)
  expect((await pool.query('SELECT count(*) FROM event')).rows).toEqual(events)
  const after = await dump()
  for (const value of valuesOf(bob)) expect(after).toContain(value.toLowerCase())
})

it('is undone by no rebuild, which makes the very same rows', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  await folded()
  const before = await digestOf(pool)
  await rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool)).toBe(before)
  await expectGone(ana)
})

it('stores what comes later without the person’s data, and knows a retry for one', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  const events = (await pool.query('SELECT count(*) FROM event')).rows
  const retried = bodiesOf(ana)
  await deliver(retried)
  await folded()
  await expectGone(ana)
  expect((await pool.query('SELECT count(*) FROM event')).rows).toEqual(events)
  const news = {
    type: 'KYC',
    subType: 'statusUpdate',
    uuid: ana.userUuid,
    data: { status: 'SUSPENDED', name: ana.lastName },
  }
  const [id] = await deliver([news])
  await folded()
  await expectGone(ana)
  const { rows } = await pool.query('SELECT status FROM event WHERE id = $1', [id])
  expect(rows).toEqual([{ status: 'SUSPENDED' }])
})

it('is undone by no sign-in, no look-up and no import', async () => {
  const ana = await known()
  await erase(ana.userUuid)
  const user = { ...ana, country: null, status: null }
  await inTransaction(pool, (tx) => saveToDirectory(tx, user, 'import', ana.number))
  await noteUsers(pool, [ana.userUuid])
  await expectGone(ana)
  const isErasedAddress = await erasedAddresses(pool)
  expect(isErasedAddress(` ${ana.email.toUpperCase()}`)).toBe(true)
  expect(isErasedAddress('somebody@demo.test')).toBe(false)
})

it('takes the person out of what is told of others, of dead letters and of bodies that outlived the log', async () => {
  const [ana, bob] = [aPerson(), aPerson()]
  await enter(ana)
  const duplicate = {
    type: 'duplicateUser',
    subType: 'DUPLICATE_USER',
    uuid: bob.userUuid,
    data: { duplicateOf: ana.userUuid },
  }
  const paid = {
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: bob.userUuid,
    data: { transactionUuid: crypto.randomUUID(), amountFiat: 1, walletAddress: ana.targetAddress },
  }
  const ids = await deliver([...bodiesOf(ana), duplicate, paid, `no JSON, but ${ana.userUuid}`])
  await folded()
  const [dead = ''] = await deliver([{ type: 'KYC', uuid: ana.userUuid, data: { status: ana.lastName } }])
  await folded()
  await pool.query(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) VALUES ($1, now(), 'a test')`,
    [dead],
  )
  await pool.query('DELETE FROM delivery WHERE id = ANY($1)', [ids.slice(0, 8)])
  expect((await pool.query('SELECT FROM event WHERE envelope IS NOT NULL')).rows.length).toBeGreaterThan(3)
  await erase(ana.userUuid)
  await expectGone({ ...ana, lastName: 'kept in a status' })
  const { rows } = await pool.query(
    `SELECT encode(event_body(id, envelope), 'escape') AS body FROM event WHERE entity_uuid = $1`,
    [bob.userUuid],
  )
  expect(rows.map(({ body }) => JSON.parse(body).data)).toEqual(
    expect.arrayContaining([
      { duplicateOf: 'erased' },
      expect.objectContaining({ amountFiat: 1, walletAddress: 'erased' }),
    ]),
  )
})

it('runs beside fresh traffic and a rebuild of two projectors', async () => {
  await project()
  const [ana, bob] = [await known(), await known()]
  const end = new AbortController()
  const fresh: TestPerson[] = []
  const traffic = (async () => {
    for (let rounds = 0; rounds < 40 && !end.signal.aborted; rounds++) {
      const somebody = aPerson()
      fresh.push(somebody)
      await deliver([...bodiesOf(somebody), ...bodiesOf(ana)])
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  const rebuilding = rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined })
  await erase(ana.userUuid)
  await rebuilding
  end.abort()
  await traffic
  await folded()
  await expectGone(ana)
  const text = await dump()
  for (const person of [bob, ...fresh]) expect(text).toContain(person.userUuid)
  const before = await digestOf(pool)
  await rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool)).toBe(before)
}, 120_000)

it('writes nothing of what a projector has read before, however late it is told more', async () => {
  const ana = aPerson()
  await enter(ana)
  const [pending = {}, progress = {}, issued = {}, success = {}] = bodiesOf(ana)
  await deliver([pending, progress])
  await folded()
  const id = await inTransaction(pool, (tx) => beginErasure(tx, ana.userUuid))
  // The projector reads what is there of the subject before it is rewritten, and keeps it.
  await deliver([issued])
  await folded()
  await runErasure(pool, id)
  await deliver([success])
  await folded()
  await expectGone(ana)
})

it('goes on after it was killed anywhere', async () => {
  const ana = await known()
  const id = await inTransaction(pool, (tx) => beginErasure(tx, ana.userUuid))
  for (let steps = 0; steps < 4; steps++) {
    let left = steps
    const killed = runErasure(pool, id, () => {
      if (left-- === 0) throw new Error('killed')
    })
    await killed.catch((error: Error) => expect(error.message).toBe('killed'))
  }
  const runner = await acquireErasure(pool, id)
  expect(await runErasure(pool, id)).toBe(null)
  // Whoever died holds the lease for a while.
  await pool.query(`UPDATE lease SET expires_at = now() - interval '1 ms' WHERE name = $1`, [
    runner?.lease.name,
  ])
  await runErasure(pool, id)
  await expectGone(ana)
  expect(
    (await pool.query('SELECT working, finished_at FROM erasure WHERE id = $1', [id])).rows,
  ).toMatchObject([{ working: null, finished_at: expect.any(Date) }])
})

it('wants an admin with a fresh sign-in, refuses a member of the team, and proves that it happened', async () => {
  const ana = await known()
  const [browser, admin] = [newBrowser(), callerWith('admin')]
  const form = { userUuid: ana.userUuid, reason: 'asked for by mail' }
  await expect(eraseUser(callerWith('support'), form, browser)).rejects.toThrow(NotAllowed)
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(eraseUser(stale, form, browser)).rejects.toThrow(SignInAgain)
  const member = crypto.randomUUID()
  await pool.query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Ana', 'support')`, [
    member,
    ana.userUuid,
  ])
  await expect(eraseUser(admin, form, browser)).rejects.toThrow(Refused)
  await inTransaction(pool, async (tx) => {
    const ofAna = { id: ana.userUuid, name: 'Ana' }
    await tellAdmins(tx, { kind: 'secret-rotated', actor: ofAna })
    await tellAdmins(tx, { kind: 'member-removed', actor: null, about: member, facts: { member: 'Ana' } })
  })
  await pool.query('UPDATE member SET removed_at = now() WHERE id = $1', [member])
  expect(await findErasure(admin, ana.userUuid)).toBe(null)
  const { erasureId } = await eraseUser(admin, form, browser)
  await expect
    .poll(() => findErasure(admin, ana.userUuid), { timeout: 20_000 })
    .toMatchObject({
      id: erasureId,
      finishedAt: expect.any(String),
    })
  await expectGone(ana)
  const { rows } = await pool.query('SELECT outcome, reason FROM audit WHERE target = $1 ORDER BY at', [
    erasureId,
  ])
  const { rows: told } = await pool.query('SELECT kind, actor_name, facts FROM admin_notice ORDER BY id')
  expect(told).toEqual([
    { kind: 'secret-rotated', actor_name: 'Erased', facts: {} },
    { kind: 'member-removed', actor_name: null, facts: { member: 'Erased' } },
    { kind: 'person-erased', actor_name: admin.id, facts: {} },
  ])
  expect(rows).toEqual([
    { outcome: 'begun', reason: form.reason },
    { outcome: 'done', reason: null },
  ])
})

it('gives out all that is held of a person, and writes down who asked', async () => {
  const ana = await known()
  const admin = callerWith('admin')
  const form = { userUuid: ana.userUuid, reason: 'asked for' }
  await expect(allowExport(callerWith('support'), form, newBrowser())).rejects.toThrow(NotAllowed)
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowExport(stale, form, newBrowser())).rejects.toThrow(SignInAgain)
  const { ticket } = await allowExport(admin, form, newBrowser())
  const wrong: [Parameters<typeof exportUser>[0], string, string][] = [
    [callerWith('admin'), ana.userUuid, ticket],
    [admin, crypto.randomUUID(), ticket],
    [admin, ana.userUuid, `${Date.now() + 90_000}.${ticket.split('.')[1]}`],
    [admin, ana.userUuid, ''],
  ]
  for (const one of wrong) expect(() => exportUser(...one)).toThrow(NotAllowed)
  const text = (await Array.fromAsync(exportUser(admin, ana.userUuid, ticket))).join('')
  const held = JSON.parse(text)
  for (const value of valuesOf(ana)) expect(text.toLowerCase()).toContain(value.toLowerCase())
  expect(held.events).toHaveLength(bodiesOf(ana).length)
  expect(held.transactions).toHaveLength(2)
  expect(held).toMatchObject({ signIns: [{ method: 'code' }], directory: [{ email: ana.email }] })
  expect(held.audit).toMatchObject([{ action: 'user.export' }])
  const nobody = (await Array.fromAsync(userData(pool, crypto.randomUUID()))).join('')
  expect(JSON.parse(nobody)).toMatchObject({ directory: [], events: [] })
})

it('ends the personal data of each type when its time is over, and no rebuild brings it back', async () => {
  const ana = await known()
  await pool.query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"retentionDays": {"fiatToCrypto": 30, "KYC": 1}}')`,
  )
  const bodies = async () =>
    (
      await pool.query(
        `SELECT type, encode(event_body(id, envelope), 'escape') AS body FROM event WHERE entity_uuid = $1 ORDER BY id`,
        [ana.userUuid],
      )
    ).rows
  const before = { bodies: await bodies(), amounts: await amounts(ana) }
  await endOldData(pool, new Date(Date.now() + 2 * 24 * 3_600_000))
  const ended = await bodies()
  for (const [index, { type, body }] of ended.entries())
    if (type === 'KYC')
      expect(JSON.parse(body)).toMatchObject({ uuid: ana.userUuid, data: { status: 'FULL_USER' } })
    else expect(body).toBe(before.bodies[index]?.body)
  expect(JSON.stringify(ended.filter(({ type }) => type === 'KYC'))).not.toContain(ana.lastName)
  await endOldData(pool, new Date(Date.now() + 31 * 24 * 3_600_000))
  expect(await amounts(ana)).toEqual(before.amounts)
  expect(JSON.stringify((await bodies()).filter(({ type }) => type === 'fiatToCrypto'))).not.toContain(
    ana.iban,
  )
  expect(
    (await pool.query('SELECT count(*)::int FROM identifier WHERE value = $1', [ana.hash])).rows,
  ).toEqual([{ count: 0 }])
  const rows = await digestOf(pool)
  await endOldData(pool, new Date(Date.now() + 32 * 24 * 3_600_000))
  await rebuild(pool, { signal: new AbortController().signal, onProgress: () => undefined })
  expect(await digestOf(pool)).toBe(rows)
})

it('knows of every table what it holds of people', async () => {
  const { rows } = await pool.query<{ name: string }>(TABLES)
  expect(Object.keys(tables).sort()).toEqual(rows.map(({ name }) => name).sort())
})

vi.setConfig({ testTimeout: 60_000 })
