import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldBodies } from '../../../test/fold-bodies.ts'
import { getProfile, listOwnAccounts } from './get-profile.ts'

const [ana, ben, cleo] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const [unsure, closed] = [crypto.randomUUID(), crypto.randomUUID()]
const [active, waiting, shared, foreign, retried] = Array.from({ length: 5 }, () => crypto.randomUUID())
const iban = 'DE89370400440532013000'
const foreignIban = 'PT50000201231234567890154'
/** The service called each of them KYC_NEEDED an hour before or after their event. */
const saidBefore = ['FULL_USER', 'KYC_PENDING', 'BRAND_NEW', ''].map(
  (status) => [status, crypto.randomUUID()] as const,
)
const saidAfter = crypto.randomUUID()
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
    ...[...saidBefore, ['FULL_USER', saidAfter] as const].map(([status, uuid]) =>
      event(uuid, { status }, 'KYC'),
    ),
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

test('the last known verification is the later word, of the service or of the events', async () => {
  await pool().query(
    `INSERT INTO person (user_uuid, source, status, updated_at)
     SELECT entity_uuid::uuid, 'test', 'KYC_NEEDED',
            last_move_at + CASE entity_uuid WHEN $1 THEN 1 ELSE -1 END * interval '1 hour'
     FROM standing WHERE type = 'KYC'`,
    [saidAfter],
  )
  const known = async (userUuid: string) =>
    (await getProfile(callerWith('end-user', { userUuid }))).profile?.status
  // These callers have no session at the service.
  expect(await getProfile(callerWith('end-user', { userUuid: saidAfter }))).toMatchObject({
    kind: 'sign-in-again',
  })
  expect(await known(saidAfter)).toBe('KYC_NEEDED')
  for (const [status, userUuid] of saidBefore) expect(await known(userUuid)).toBe(status || 'KYC_NEEDED')
})

test('whom the service never named has no profile, whatever the events say', async () => {
  await pool().query('DELETE FROM person WHERE user_uuid = $1', [saidAfter])
  expect(await getProfile(callerWith('end-user', { userUuid: saidAfter }))).toMatchObject({ profile: null })
})
