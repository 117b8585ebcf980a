import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { ensureDeliveryPartitions, uuidv7Of } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../../test/callers.ts'
import { admin, createHere } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { forgetAll, set, watch } from '../../../test/watched.ts'
import { listGapsOfTransaction } from './list-gaps-of-transaction.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await ensureDeliveryPartitions(env().databaseUrl)
})
afterAll(() => service.stop())
beforeEach(async () => {
  await pool().query('TRUNCATE event, event_delivery')
  await forgetAll()
})

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** The transaction began 15 minutes ago and is still under way. */
const lived = (given: Partial<Parameters<typeof listGapsOfTransaction>[1]> = {}) => ({
  direction: 'fiatToCrypto' as const,
  startedAt: ago(15),
  finishedAt: null,
  steps: ['PENDING'],
  ...given,
})
const kindsOf = async (given: Parameters<typeof lived>[0] = {}) =>
  (await listGapsOfTransaction(admin, lived(given))).map(({ kind }) => kind)

/** One endpoint with these events has been off for ten minutes; another one is active. */
async function offBeside(ofOff: EventType[] | null, ofOther: EventType[] | null) {
  const off = await createHere({ description: 'Off', subscribedEvents: ofOff })
  const other = await createHere({ description: 'Other', subscribedEvents: ofOther })
  await pool().query(`UPDATE receiver SET created_at = now() - interval '1 day'`)
  await watch()
  await set(off.endpointUuid, 'disabled')
  await watch()
  await pool().query(`UPDATE gap SET began_at = now() - interval '10 minutes'`)
  return { off, other }
}

/** An event of this type arrived at a receiver `minutes` ago. */
async function takeEvent(receiverId: string, type: string, minutes: number) {
  const subject = `transaction:${crypto.randomUUID()}`
  const id = uuidv7Of(new Date(ago(minutes)))
  await pool().query(
    `INSERT INTO event (subject_id, id, type, sub_type, fingerprint, position, deliveries, first_received_at, last_received_at, flags)
     VALUES ($1, $2, $3, 'PENDING', '', 0, 1, $4, $4, '{}')`,
    [subject, id, type, ago(minutes)],
  )
  await pool().query(
    `INSERT INTO event_delivery (subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason)
     VALUES ($1, $2, $2, 1, $3, $4, 'new', '{}')`,
    [subject, id, ago(minutes), receiverId],
  )
}

it('a gap counts when the transaction was open in it, not when it began after the outcome or ended before the start', async () => {
  await offBeside(null, null)
  expect(await kindsOf()).toEqual(['disabled'])
  expect(await kindsOf({ startedAt: ago(60), finishedAt: ago(5) })).toEqual(['disabled'])
  expect(await kindsOf({ startedAt: ago(60), finishedAt: ago(11) })).toEqual([])
  await pool().query(`UPDATE gap SET ended_at = now() - interval '3 minutes'`)
  expect(await kindsOf({ startedAt: ago(4) })).toEqual(['disabled'])
  expect(await kindsOf({ startedAt: ago(2) })).toEqual([])
})

it('no gap counts once another endpoint with its type brought that type meanwhile', async () => {
  const { other } = await offBeside(null, ['fiatToCrypto', 'KYC'])
  await takeEvent(other.receiverId, 'fiatToCrypto', 20)
  await takeEvent(other.receiverId, 'KYC', 5)
  expect(await kindsOf()).toEqual(['disabled'])
  await takeEvent(other.receiverId, 'fiatToCrypto', 5)
  expect(await kindsOf()).toEqual([])
  // The endpoint is not subscribed to this type.
  expect(await kindsOf({ direction: 'cryptoToFiat' })).toEqual(['disabled'])
  // Only other events have named the transaction, so the type of its steps is unknown.
  expect(await kindsOf({ direction: null })).toEqual(['disabled'])
})

it.each([
  [
    'was not subscribed all the time',
    `UPDATE watched_endpoint SET events_changed_at = now() WHERE name = 'Other'`,
  ],
  ['was made later', 'UPDATE receiver SET created_at = now()'],
  [
    'is gone since',
    `UPDATE watched_endpoint SET last_active_at = now() - interval '9 minutes' WHERE name = 'Other'`,
  ],
  [
    'had a gap of its own then',
    `INSERT INTO gap (id, kind, about, began_at, ended_at)
     SELECT gen_random_uuid(), 'refused', receiver_id, now() - interval '6 minutes', now() - interval '4 minutes'
     FROM watched_endpoint WHERE name = 'Other'`,
  ],
])('a gap still counts when the other endpoint %s', async (_why, sql) => {
  const { other } = await offBeside(null, null)
  await takeEvent(other.receiverId, 'fiatToCrypto', 5)
  expect(await kindsOf()).toEqual([])
  await pool().query(sql)
  expect(await kindsOf()).toContain('disabled')
})

it('no gap counts of an endpoint that is not sent its type, unless that changed since', async () => {
  await offBeside(['KYC'], ['AML'])
  expect(await kindsOf()).toEqual([])
  await pool().query(`UPDATE watched_endpoint SET events_changed_at = now() WHERE name = 'Off'`)
  expect(await kindsOf()).toEqual(['disabled'])
})

it('no gap counts once every step has arrived, nor one in which only the endpoints could not be seen', async () => {
  await offBeside(null, null)
  const path = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS']
  expect(await kindsOf({ finishedAt: ago(1), steps: path })).toEqual([])
  expect(await kindsOf({ finishedAt: ago(1), steps: path.toSpliced(1, 1) })).toEqual(['disabled'])
  await pool().query(`UPDATE gap SET kind = 'not-seen', about = ''`)
  expect(await kindsOf()).toEqual([])
  await pool().query(`UPDATE gap SET kind = 'down', about = ''`)
  expect(await kindsOf()).toEqual(['down'])
})

it('only roles that may see endpoints see these gaps', async () => {
  await expect(listGapsOfTransaction(callerWith('end-user'), lived())).rejects.toThrow(NotAllowed)
})
