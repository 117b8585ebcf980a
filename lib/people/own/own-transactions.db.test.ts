import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import { getTransaction } from '#lib/transactions/get-transaction.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldBodies } from '../../../test/fold-bodies.ts'
import { getOwnTransaction, listOwnTransactions } from './own-transactions.ts'

const ana = '11111111-1111-4111-8111-111111111111'
const ben = '22222222-2222-4222-8222-222222222222'
const uuids = Array.from({ length: 30 }, () => crypto.randomUUID())
const held = crypto.randomUUID()
const onlyNamed = crypto.randomUUID()
const cleo = '33333333-3333-4333-8333-333333333333'
/** The service gave its own word at this time, before or after the events. */
const [before, after] = [new Date(Date.UTC(2026, 10, 19)), new Date(Date.UTC(2026, 10, 22))]
/** Each of these people and companies has a transaction that is held for KYC. */
const heldForKyc = [
  { statuses: [], turn: 'customer' },
  { statuses: ['KYC KYC_NEEDED'], turn: 'customer' },
  { statuses: ['KYC SOFT_KYC_FAILED'], turn: 'customer' },
  { statuses: ['KYC BRAND_NEW'], turn: 'customer' },
  { statuses: ['KYC KYC_PENDING'], turn: 'provider' },
  { statuses: ['KYC FULL_USER'], turn: 'verified' },
  { statuses: ['KYC HARD_KYC_FAILED'], turn: 'refused' },
  { statuses: ['KYC SUSPENDED'], turn: 'refused' },
  { statuses: ['KYB KYB_PENDING'], turn: 'provider' },
  { statuses: ['KYB KYB_PASSED'], turn: 'verified' },
  { statuses: ['KYB KYB_FAILED'], turn: 'refused' },
  { statuses: ['KYB KYB_PASSED', 'KYC KYC_NEEDED'], turn: 'customer' },
  { statuses: ['KYC FULL_USER', 'KYB KYB_FAILED'], turn: 'refused' },
  { statuses: ['KYC FULL_USER', 'KYB '], turn: 'customer' },
  { statuses: [], said: ['FULL_USER', before], turn: 'verified' },
  { statuses: [], said: [null, after], turn: 'customer' },
  { statuses: ['KYC KYC_NEEDED'], said: ['FULL_USER', after], turn: 'verified' },
  { statuses: ['KYC KYC_NEEDED'], said: ['FULL_USER', before], turn: 'customer' },
  { statuses: ['KYC FULL_USER'], said: ['SUSPENDED', after], turn: 'refused' },
  { statuses: ['KYC FULL_USER'], said: [null, after], turn: 'verified' },
  { statuses: ['KYC ', 'KYB KYB_PENDING'], said: ['FULL_USER', before], turn: 'provider' },
].map((one) => ({ ...one, userUuid: crypto.randomUUID(), uuid: crypto.randomUUID() }))
const refunds = ['FAILED', 'SUCCESS', 'REFUNDED'].flatMap((subType) =>
  [-5, 120, '97,50', 97.5].map((amountRefunded) => ({ subType, amountRefunded, id: crypto.randomUUID() })),
)
const twoWays = crypto.randomUUID()
const dora = '44444444-4444-4444-8444-444444444444'
const [checked = '', other = '', ...newer] = Array.from({ length: 21 }, () => crypto.randomUUID())
const day = Date.UTC(2026, 10, 20)
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const event = (type: string, subType: string, uuid: string, data: object) => ({ type, subType, uuid, data })
  const mismatch = (transactionUuid: string) =>
    event('senderNameMismatch', 'SENDER_NAME_MISMATCH', ana, {
      transactionUuid,
      senderName: 'Zoe Stranger',
      expectedName: 'Ana García',
    })
  const said = [
    ...uuids.map((transactionUuid, n) =>
      event('fiatToCrypto', 'PENDING', n < 25 ? ana.toUpperCase() : ben, { transactionUuid, amountFiat: n }),
    ),
    // The check arrives first, and its hold has its own reason.
    mismatch(held),
    event('fiatToCrypto', 'PENDING', ana, {
      transactionUuid: held,
      status: 'PENDING',
      amountFiat: 5,
      walletAddress: '0xa3a9',
    }),
    event('fiatToCrypto', 'ON_HOLD', ana, {
      transactionUuid: held,
      status: 'ON_HOLD_AML_CHECK',
      senderDetails: { senderName: 'Zoe Stranger', accountDetails: { iban: 'DE89370400440532013000' } },
    }),
    event('fiatToCrypto', 'FROZEN_BY_AML', ana, { transactionUuid: held, status: 'FROZEN_BY_AML' }),
    mismatch(onlyNamed),
    ...heldForKyc.flatMap(({ statuses, userUuid, uuid: transactionUuid }) => [
      event('fiatToCrypto', 'ON_HOLD', userUuid, { transactionUuid, status: 'ON_HOLD_KYC' }),
      ...statuses
        .map((one) => one.split(' '))
        .map(([type = '', status]) => event(type, 'statusUpdate', userUuid, { status })),
    ]),
    ...refunds.map(({ subType, amountRefunded, id: transactionUuid }) =>
      event('fiatToCrypto', subType, cleo, {
        transactionUuid,
        amountFiat: 100,
        currencyFiat: 'EUR',
        amountRefunded,
      }),
    ),
    ...[
      ['cryptoToFiat', 'PENDING'],
      ['fiatToCrypto', 'PENDING'],
      ['fiatToCrypto', 'IN_PROGRESS'],
      ['cryptoToFiat', 'FAILED'],
    ].map(([type = '', subType = '']) => event(type, subType, cleo, { transactionUuid: twoWays })),
    event('senderNameMismatch', 'SENDER_NAME_MISMATCH', dora, { transactionUuid: checked }),
    ...[other, checked, ...newer].map((transactionUuid) =>
      event('fiatToCrypto', 'PENDING', dora, { transactionUuid }),
    ),
  ]
  await foldBodies(said, day)
  for (const { userUuid, said: [status, at] = [] } of heldForKyc)
    if (at)
      await pool().query(
        `INSERT INTO person (user_uuid, source, status, updated_at) VALUES ($1, 'test', $2, $3)`,
        [userUuid, status, at],
      )
})
afterAll(() => database.stop())

const person = callerWith('end-user', { userUuid: ana })

test('a customer sees their own transactions, newest first, each once', async () => {
  const first = await listOwnTransactions(person, undefined)
  const second = await listOwnTransactions(person, first.next ?? '')
  expect([...first.rows, ...second.rows].map(({ uuid }) => uuid)).toEqual([
    held,
    ...uuids.slice(0, 25).toReversed(),
  ])
  expect(second.next).toBeNull()
  await expect(listOwnTransactions(person, 'x')).rejects.toThrow(CursorRefused)
  for (const other of [uuids[28], crypto.randomUUID()])
    await expect(listOwnTransactions(person, other)).rejects.toThrow(CursorRefused)
})

test('the order of the list tells of no check that came before the payment', async () => {
  const caller = callerWith('end-user', { userUuid: dora })
  const first = await listOwnTransactions(caller, undefined)
  expect(first.rows.map(({ uuid }) => uuid)).toEqual([...newer.toReversed(), checked])
  const second = await listOwnTransactions(caller, first.next ?? '')
  expect(second).toMatchObject({ rows: [{ uuid: other }], next: null })
  const times = [...first.rows, ...second.rows].map(({ startedAt }) => startedAt)
  expect(times).toEqual(times.toSorted().toReversed())
})

test('a customer learns nothing of a check of names: no event, no reason, no time, no name', async () => {
  const found = await getOwnTransaction(person, held.toUpperCase())
  const hold = new Date(day + 32 * 60_000).toISOString()
  expect(found).toMatchObject({
    step: 'ON_HOLD',
    reason: null,
    startedAt: new Date(day + 31 * 60_000).toISOString(),
    steps: [
      { step: 'PENDING', reason: 'PENDING' },
      { step: 'ON_HOLD', reason: null, at: hold },
    ],
  })
  const all = JSON.stringify([found, await listOwnTransactions(person, undefined)])
  for (const word of [
    'Zoe',
    'AML',
    'MISMATCH',
    'DE8937',
    onlyNamed,
    new Date(day + 30 * 60_000).toISOString(),
  ])
    expect(all, word).not.toContain(word)
})

test('a customer reads the steps of the direction that began last, should an id stand for two', async () => {
  const found = await getOwnTransaction(callerWith('end-user', { userUuid: cleo }), twoWays)
  expect(found).toMatchObject({ direction: 'fiatToCrypto', step: 'IN_PROGRESS', conflict: false })
  expect(found?.steps.map(({ step }) => step)).toEqual(['PENDING', 'IN_PROGRESS'])
})

test('a receipt names its customer and their wallet, and nobody else', async () => {
  await pool().query(
    `INSERT INTO person (user_uuid, email, first_name, last_name, source)
     VALUES ($1, 'ana@demo.test', 'Ana', 'García', 'test')
     ON CONFLICT (user_uuid) DO UPDATE
       SET email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name`,
    [ana],
  )
  expect(await getOwnTransaction(person, held)).toMatchObject({
    customer: { name: 'Ana García', email: 'ana@demo.test' },
    parties: { walletAddress: '0xa3a9', sendingAddress: null },
  })
})

test('another person’s transaction, one that only a check has named and a missing one look the same', async () => {
  for (const uuid of [uuids[27] ?? '', onlyNamed, crypto.randomUUID(), '\u0000', ''])
    expect(await getOwnTransaction(person, uuid), uuid).toBeNull()
})

test('a customer reads no refund that cannot be true, and no outcome that says it', async () => {
  for (const { id, subType, amountRefunded } of refunds) {
    const isSure = amountRefunded === 97.5
    expect(await getOwnTransaction(callerWith('end-user', { userUuid: cleo }), id)).toMatchObject({
      amountRefunded: isSure ? '97.5' : null,
      conflict: !isSure && subType === 'REFUNDED',
    })
  }
})

test('asking for another person’s transaction counts as denied, asking for a missing one does not', async () => {
  const caller = callerWith('end-user', { userUuid: ben })
  await getOwnTransaction(caller, crypto.randomUUID())
  await getOwnTransaction(caller, held)
  const counted = () =>
    pool().query('SELECT action, outcome, count FROM audit_counter WHERE session_id = $1', [caller.sessionId])
  await expect
    .poll(async () => (await counted()).rows)
    .toEqual([{ action: 'access.denied', outcome: 'refused', count: 1 }])
})

test('staff see their own transaction as a customer does', async () => {
  const admin = callerWith('admin', { userUuid: ana })
  expect(await getOwnTransaction(admin, held)).toEqual(await getOwnTransaction(person, held))
})

test('a transaction that staff see as stuck is late for its customer, in the list and on its page, and no other is', async () => {
  const staff = callerWith('admin')
  const { rows } = await listOwnTransactions(person, undefined)
  for (const { uuid, stuck, step } of rows) {
    expect(stuck, step ?? '').toBe(step === 'PENDING')
    expect((await getTransaction(staff, uuid))?.stuck).toBe(stuck)
    expect((await getOwnTransaction(person, uuid))?.stuck).toBe(stuck)
  }
  expect(new Set(rows.map(({ stuck }) => stuck)).size).toBe(2)
})

test.each(heldForKyc)(
  'of a hold for KYC by events of $statuses and the service’s word $said the turn is: $turn',
  async ({ userUuid, uuid, turn }) => {
    const reason = turn === 'customer' || turn === 'provider' ? 'ON_HOLD_KYC' : null
    const own = await getOwnTransaction(callerWith('end-user', { userUuid }), uuid)
    expect(own).toMatchObject({ step: 'ON_HOLD', reason, turn, steps: [{ reason }] })
    const seen = await getTransaction(callerWith('support'), uuid)
    expect(seen).toMatchObject({ reason: 'ON_HOLD_KYC', turn })
  },
)

test('an event whose order is in doubt decides no verification against the service', async () => {
  const [sure] = heldForKyc.filter(({ statuses: [status] }) => status === 'KYC KYC_NEEDED')
  const caller = callerWith('end-user', { userUuid: sure?.userUuid ?? '' })
  const turn = async () => (await getOwnTransaction(caller, sure?.uuid ?? ''))?.turn
  await pool().query(
    `INSERT INTO person (user_uuid, source, status, updated_at)
     SELECT entity_uuid::uuid, 'test', 'FULL_USER', last_move_at - interval '1 hour' FROM standing WHERE entity_uuid = $1`,
    [caller.userUuid],
  )
  expect(await turn()).toBe('customer')
  await pool().query(
    `UPDATE event SET flags = '{order-unsure,decisive}' WHERE subject_id = 'entity:' || $1::text`,
    [caller.userUuid],
  )
  expect(await turn()).toBe('verified')
})

test('nobody has the turn of a transaction that is not held for KYC', async () => {
  expect(await getTransaction(callerWith('support'), held)).toMatchObject({ step: 'ON_HOLD', turn: null })
  expect(await getOwnTransaction(person, uuids[0] ?? '')).toMatchObject({ step: 'PENDING', turn: null })
})
