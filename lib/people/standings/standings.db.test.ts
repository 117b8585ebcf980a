import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { CursorRefused, NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldBodies } from '../../../test/fold-bodies.ts'
import { getAccount, listAccounts } from './list-accounts.ts'
import { listCompanies } from './list-companies.ts'
import { listCurrencies, listStandingStates, listUnknownTypes } from './standing-states.ts'
import { readStandings } from './standings.ts'

const [ana, ben, company, other] = Array.from({ length: 4 }, () => crypto.randomUUID())
const [euro, pound, linked, profile] = Array.from({ length: 4 }, () => crypto.randomUUID())
const paid = crypto.randomUUID()
const iban = 'DE89370400440532013000'
const support = callerWith('support')
const compliance = callerWith('compliance')
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO person (user_uuid, email, email_key, source, linked_corporates)
     VALUES ($1, 'ana@demo.test', 'ana@demo.test', 'test', ARRAY[$2::uuid])`,
    [ana, company],
  )
  const event = (type: string, uuid: string | undefined, data: object) => ({
    type,
    subType: 'statusUpdate',
    uuid,
    data,
  })
  await foldBodies(
    [
      event('unblockBankAccount', ana, { uuid: euro, currency: 'EUR', status: 'WAITING_CREATION' }),
      event('unblockBankAccount', ben, { uuid: pound, currency: 'GBP', status: 'FROZEN', error: 'Asked to' }),
      event('linkBankAccount', ana, { uuid: linked, status: 'FAILED', error: 'No such account' }),
      event('linkedBankAccountProfile', ana, { uuid: profile, status: 'ACTIVE' }),
      event('KYB', company, { status: 'KYB_PENDING' }),
      event('KYC', ana, { status: 'KYC_PENDING' }),
      event('entityStatusUpdate', company, { status: 'ACTIVE' }),
      event('KYB', other, { status: 'KYB_FAILED' }),
      event('AML', ana, { status: 'FAILED' }),
      event('KYC', ana, { status: 'FULL_USER' }),
      event('unblockBankAccount', ana, { uuid: euro, iban, status: 'ACTIVE' }),
      {
        type: 'fiatToCrypto',
        subType: 'PENDING',
        uuid: ana,
        data: { transactionUuid: paid, internalBankAccountId: euro },
      },
      { type: 'fiatToCrypto', subType: 'PARKED', uuid: ana, data: { transactionUuid: crypto.randomUUID() } },
      event('AML', ben, { status: 'FINDING' }),
      ...['ON_HOLD_KYC', 'ON_HOLD_MOON'].map((status) => ({
        type: 'cryptoToFiat',
        subType: 'ON_HOLD',
        uuid: ben,
        data: { transactionUuid: crypto.randomUUID(), status },
      })),
      ...Array.from({ length: 21 }, () => ({
        type: 'fiatToCrypto',
        subType: 'PENDING',
        uuid: ben,
        data: { transactionUuid: crypto.randomUUID(), internalBankAccountId: pound },
      })),
    ],
    Date.UTC(2026, 10, 20),
  )
})
afterAll(() => database.stop())

describe('the list of accounts', () => {
  const ids = async (filters: Parameters<typeof listAccounts>[1]) =>
    (await listAccounts(support, filters)).rows.map(({ id }) => id)

  test('has the accounts that moved last first, with their owners', async () => {
    const { rows, next, total } = await listAccounts(support)
    expect(rows.map(({ id, state, currency }) => [id, state, currency])).toEqual([
      [euro, 'ACTIVE', 'EUR'],
      [profile, 'ACTIVE', null],
      [linked, 'FAILED', null],
      [pound, 'FROZEN', 'GBP'],
    ])
    expect(rows[0]).toMatchObject({
      userEmail: 'ana@demo.test',
      startedAt: '2026-11-20T00:00:00.000Z',
      lastMoveAt: '2026-11-20T00:10:00.000Z',
    })
    expect({ next, total }).toEqual({ next: null, total: { count: 4, exact: true } })
  })

  test('is filtered by kind, state and currency', async () => {
    expect(await ids({ state: 'ACTIVE' })).toEqual([euro, profile])
    expect(await ids({ state: 'ACTIVE', currency: 'EUR' })).toEqual([euro])
    expect(await ids({ currency: 'GBP' })).toEqual([pound])
    expect(await ids({ type: 'linkBankAccount' })).toEqual([linked])
    expect(await ids({ type: 'KYC' })).toEqual([])
    expect(await ids({ state: '\0' })).toEqual([])
  })

  test('is read page by page, each row once', async () => {
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listAccounts(support, { limit: 1, cursor })
      seen.push(...page.rows.map(({ id }) => id))
      if (page.next === null) break
      cursor = page.next
    }
    expect(seen).toEqual([euro, profile, linked, pound])
    await expect(listAccounts(support, { cursor: 'x' })).rejects.toThrow(CursorRefused)
  })

  test('offers the states and currencies that came, with words or without', async () => {
    expect(await listStandingStates(support, ['unblockBankAccount', 'linkBankAccount'])).toEqual([
      { type: 'unblockBankAccount', state: 'ACTIVE' },
      { type: 'unblockBankAccount', state: 'FROZEN' },
      { type: 'linkBankAccount', state: 'FAILED' },
    ])
    expect(await listCurrencies(support)).toEqual(['EUR', 'GBP'])
  })

  test('masks people for an auditor, and is for staff', async () => {
    expect((await listAccounts(callerWith('auditor'))).rows[0]?.userEmail).toBe('a•••@demo.test')
    const person = callerWith('end-user', { userUuid: ana ?? '' })
    for (const asked of [
      listAccounts(person),
      listCompanies(person),
      getAccount(person, euro ?? ''),
      listStandingStates(person, []),
      listCurrencies(person),
    ])
      await expect(asked).rejects.toThrow(NotAllowed)
  })
})

test('lists mark only accounts and people that depend on a doubt', async () => {
  const doubt = (flags: string, again: boolean, subject: string, type: string) =>
    pool().query(
      `UPDATE event SET flags = $1::text[], came_again_at = CASE WHEN $2 THEN now() END WHERE subject_id = $3 AND type = $4`,
      [flags, again, subject, type],
    )
  const [account, entity] = [`bank-account:${pound}`, `entity:${company}`]
  await doubt('{decisive,late}', false, account, 'unblockBankAccount')
  await doubt('{decisive,order-unsure}', true, entity, 'KYB')
  const accounts = (await listAccounts(support)).rows.map(({ id, doubt: of }) => [id, of])
  expect(accounts).toEqual([
    [euro, null],
    [profile, null],
    [linked, null],
    [pound, 'late'],
  ])
  const found = (await listCompanies(support)).rows.find(({ id }) => id === company)
  expect([found?.verification?.doubt, found?.entity?.doubt]).toEqual(['came-again', null])
  await doubt('{}', false, account, 'unblockBankAccount')
  await doubt('{late}', false, entity, 'KYB')
  expect((await listAccounts(support)).rows.map(({ doubt: of }) => of)).toEqual([null, null, null, null])
  await doubt('{}', false, entity, 'KYB')
})

describe('an account', () => {
  test('comes with its facts, its events and the transactions that named it', async () => {
    const account = await getAccount(support, euro?.toUpperCase() ?? '')
    expect(account?.account).toMatchObject({ currency: 'EUR', iban: 'DE•••3000', revealable: ['iban'] })
    expect(account?.events.map(({ status }) => status)).toEqual(['WAITING_CREATION', 'ACTIVE'])
    expect(account?.transactions).toMatchObject([{ uuid: paid }])
    expect((await getAccount(compliance, euro ?? ''))?.account?.iban).toBe(iban)
  })

  test('has the newest transactions that named it, and how many did', async () => {
    const account = await getAccount(support, pound ?? '')
    expect(account?.transactions).toHaveLength(20)
    expect(account?.total).toEqual({ count: 21, exact: true })
  })

  test('is null when no event spoke of it', async () => {
    expect(await getAccount(support, crypto.randomUUID())).toBeNull()
    expect(await getAccount(support, '\0')).toBeNull()
  })
})

describe('the list of companies', () => {
  test('has each once, with its verification, its status and its people', async () => {
    const { rows, total } = await listCompanies(support)
    expect(rows).toMatchObject([
      { id: other, verification: { state: 'KYB_FAILED' }, entity: null, people: 0 },
      { id: company, verification: { state: 'KYB_PENDING' }, entity: { state: 'ACTIVE' }, people: 1 },
    ])
    expect(rows[1]).toMatchObject({
      startedAt: '2026-11-20T00:04:00.000Z',
      lastMoveAt: '2026-11-20T00:06:00.000Z',
    })
    expect(total).toEqual({ count: 2, exact: true })
  })

  test('is filtered by either state, and read page by page', async () => {
    const idsAt = async (state: string) => (await listCompanies(support, { state })).rows.map(({ id }) => id)
    expect(await idsAt('KYB_PENDING')).toEqual([company])
    expect(await idsAt('ACTIVE')).toEqual([company])
    const { rows, next } = await listCompanies(support, { limit: 1 })
    const older = await listCompanies(support, { limit: 1, cursor: next ?? '' })
    expect([...rows, ...older.rows].map(({ id }) => id)).toEqual([other, company])
    expect(older.next).toBeNull()
  })
})

test('support sees that there was a check of a person, and compliance its result', async () => {
  const reported = async (role: 'support' | 'compliance' | 'end-user') =>
    (await readStandings(role, ana ?? '')).map(({ type, state, restricted }) => [type, state, restricted])
  expect(await reported('support')).toEqual([
    ['KYC', 'FULL_USER', false],
    ['AML', null, true],
  ])
  expect(await reported('compliance')).toEqual([
    ['KYC', 'FULL_USER', false],
    ['AML', 'FAILED', false],
  ])
  expect(await reported('end-user')).toEqual([['KYC', 'FULL_USER', false]])
})

test('states without words are counted, as far as a role may know of them', async () => {
  const one = { count: 1, exact: true }
  const parked = { type: 'fiatToCrypto', state: 'PARKED', count: one }
  const hold = { type: 'cryptoToFiat', state: 'ON_HOLD_MOON', count: one }
  const frozen = { type: 'unblockBankAccount', state: 'FROZEN', count: one }
  const finding = { type: 'AML', state: 'FINDING', count: one }
  expect(await listUnknownTypes(support)).toEqual([parked, hold, frozen])
  expect(await listUnknownTypes(callerWith('auditor'))).toEqual([parked, hold, frozen])
  expect(await listUnknownTypes(compliance)).toEqual([parked, hold, finding, frozen])
  await expect(listUnknownTypes(callerWith('end-user'))).rejects.toThrow(NotAllowed)
})
