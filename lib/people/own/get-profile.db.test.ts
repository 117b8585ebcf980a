import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldBodies } from '../../../test/fold-bodies.ts'
import { listOwnAccounts } from './get-profile.ts'

const [ana, ben, cleo] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const [unsure, closed] = [crypto.randomUUID(), crypto.randomUUID()]
const [active, waiting, shared, foreign, retried] = Array.from({ length: 5 }, () => crypto.randomUUID())
const iban = 'DE89370400440532013000'
const foreignIban = 'PT50000201231234567890154'
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const event = (uuid: string, data: object, type = 'unblockBankAccount') => ({
    type,
    subType: 'statusUpdate',
    uuid,
    data,
  })
  const said = [
    event(ana, { uuid: active, currency: 'EUR', status: 'WAITING_CREATION' }),
    event(ana.toUpperCase(), { uuid: active, iban, bic: 'COBADEFF', bank_name: 'A Bank', status: 'ACTIVE' }),
    // This event is late: it neither moves the status back nor removes anything.
    event(ana, { uuid: active, status: 'WAITING_CREATION' }),
    event(ana, { uuid: waiting, currency: 'GBP', status: 'FROZEN_BY_AML', error: 'AML-7QX' }),
    event(ana, { uuid: shared, currency: 'USD', status: 'ACTIVE' }),
    event(ben, { uuid: shared, iban: foreignIban, status: 'DISABLED' }),
    event(ben, { uuid: foreign, iban: foreignIban, status: 'ACTIVE' }),
    ...['WAITING_CREATION', 'FAILED_CREATION', 'WAITING_CREATION'].map((status) =>
      event(ana, { uuid: retried, status }),
    ),
    event(ana, { uuid: crypto.randomUUID(), status: 'ACTIVE' }, 'linkBankAccount'),
    ...['ACTIVE', 'CLOSED'].map((status) => event(cleo, { uuid: unsure, status })),
    event(cleo, { uuid: closed, status: 'ACTIVE' }),
    event(cleo, { uuid: closed, status: 'CLOSED' }),
  ]
  const day = 24 * 60
  await foldBodies(said, Date.UTC(2026, 10, 20), 1, day)
})
afterAll(() => database.stop())

const person = callerWith('end-user', { userUuid: ana })
const nothing = {
  iban: null,
  accountNumber: null,
  sortCode: null,
  bic: null,
  swiftCode: null,
  bankCode: null,
  bankName: null,
  bankCountry: null,
}

test('a customer sees the numbers of their own accounts, newest first, as the events gave them', async () => {
  expect(await listOwnAccounts(person)).toEqual([
    // The service retries the creation of this account.
    { ...nothing, uuid: retried, currency: null, status: 'WAITING_CREATION' },
    { ...nothing, uuid: shared, currency: 'USD', status: 'ACTIVE' },
    { ...nothing, uuid: waiting, currency: 'GBP', status: null },
    {
      ...nothing,
      uuid: active,
      currency: 'EUR',
      status: 'ACTIVE',
      iban,
      bic: 'COBADEFF',
      bankName: 'A Bank',
    },
  ])
})

test('a customer sees neither others’ accounts nor checks', async () => {
  const all = JSON.stringify(await listOwnAccounts(person))
  for (const word of [foreignIban, foreign ?? '', ben, 'AML', 'DISABLED'])
    expect(all, word).not.toContain(word)
  expect(await listOwnAccounts(callerWith('end-user', { userUuid: crypto.randomUUID() }))).toEqual([])
})

test('an account is no longer active once a state without words has surely followed', async () => {
  const own = await listOwnAccounts(callerWith('end-user', { userUuid: cleo }))
  expect(own.map(({ uuid, status }) => [uuid, status])).toEqual([
    [closed, null],
    [unsure, 'ACTIVE'],
  ])
})

test('staff see their own accounts as a customer does', async () => {
  const auditor = callerWith('auditor', { userUuid: ana })
  expect(await listOwnAccounts(auditor)).toEqual(await listOwnAccounts(person))
})
