import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NotAllowed } from '#lib/request/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { listNearbyEvents } from './list-nearby-events.ts'

const [ana, ben, paid] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const [cleo, bought] = [crypto.randomUUID(), crypto.randomUUID()]
const day = Date.UTC(2026, 10, 20, 12)
const halfDay = 12 * 60
const subject = `transaction:${paid}`
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const event = (type: string, uuid: string, data: object) => ({ type, subType: 'statusUpdate', uuid, data })
  const said = [
    event('KYC', ana, { status: 'KYC_NEEDED' }),
    event('KYC', ben, { status: 'KYC_PENDING' }),
    event('KYC', ana, { status: 'KYC_PENDING' }),
    event('fiatToCrypto', ana, { transactionUuid: paid }),
    event('AML', ana, { status: 'FAILED' }),
    event('KYC', ana, { status: 'FULL_USER' }),
    ...['TRANSACTION_CREATED', 'FIAT_RECEIVED', 'CRYPTO_TRANSFER_ISSUED'].map((subType) => ({
      ...event('fiatToCrypto', cleo, { transactionUuid: bought }),
      subType,
    })),
  ]
  await foldBodies(said, day, halfDay)
})
afterAll(() => database.stop())

const at = new Date(day + 3 * halfDay * 60_000).toISOString()
const during = { from: at, until: at }

test('lists what else was received about the person within a day, newest first, as the role may see it', async () => {
  const nearby = await listNearbyEvents(callerWith('support'), ana, subject, during)
  expect(nearby.map(({ type, status }) => [type, status])).toEqual([
    ['AML', null],
    ['KYC', 'KYC_PENDING'],
  ])
  const told = await listNearbyEvents(callerWith('compliance'), ana, subject, during)
  expect(told[0]?.status).toBe('FAILED')
})

test('goes up to now while the transaction goes on', async () => {
  const open = { from: at, until: null }
  const nearby = await listNearbyEvents(callerWith('support'), ana, subject, open)
  expect(nearby.map(({ status }) => status)).toEqual(['FULL_USER', null])
})

test('lists a transaction once, by its latest step', async () => {
  const last = new Date(day + 8 * halfDay * 60_000).toISOString()
  const nearby = await listNearbyEvents(callerWith('support'), cleo, subject, { from: last, until: last })
  expect(nearby.map(({ subjectId, subType }) => [subjectId, subType])).toEqual([
    [`transaction:${bought}`, 'CRYPTO_TRANSFER_ISSUED'],
  ])
})

test('is for staff', async () => {
  await expect(listNearbyEvents(callerWith('end-user'), ana, subject, during)).rejects.toThrow(NotAllowed)
})
