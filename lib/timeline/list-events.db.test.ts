import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../test/folding.ts'
import { addReceiver } from '../../test/ingest.ts'
import type { EventFilters } from './event-view.ts'
import { listEventSources, listEvents, readEventFilters } from './list-events.ts'

const [ana, paid, unpaid] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const here = crypto.randomUUID()
const first = Date.UTC(2026, 10, 20, 12)
const event = (type: string, data: object) => ({ type, subType: 'PENDING', uuid: ana, data })
const payment = event('fiatToCrypto', { transactionUuid: paid, amountFiat: 255.86, currencyFiat: 'EUR' })
const support = callerWith('support')
let database: TestConfiguration
let work: Awaited<ReturnType<typeof takeAllShards>>

beforeAll(async () => {
  database = await startDatabase()
  work = await takeAllShards(pool())
  const said = [
    event('KYC', { status: 'KYC_NEEDED' }),
    event('fiatToCrypto', { transactionUuid: unpaid }),
    payment,
  ]
  await receive(here, said)
  await pool().query(`UPDATE event SET flags = '{late}' WHERE subject_id = $1`, [`transaction:${unpaid}`])
})
afterAll(() => database.stop())

/** The bodies arrive through one endpoint, a minute apart. */
async function receive(endpointUuid: string, bodies: readonly object[]) {
  const { id: receiverId } = await addReceiver(pool())
  await pool().query('UPDATE receiver SET endpoint_uuid = $2 WHERE id = $1', [receiverId, endpointUuid])
  await appendPastDeliveries(
    bodies.map((body, n) => ({
      receiverId,
      receivedAt: new Date(first + n * 60_000),
      body: Buffer.from(JSON.stringify(body)),
    })),
  )
  await foldWaiting(work)
}

test('each event of a transaction has its amount beside it, where there is one', async () => {
  const { rows } = await listEvents(support)
  expect(rows.map(({ transactionUuid, amount }) => [transactionUuid, amount])).toEqual([
    [paid, { value: '255.86', currency: 'EUR' }],
    [unpaid, null],
    [null, null],
  ])
})

const ids = async (filters: EventFilters, scanned?: number) =>
  (await listEvents(support, filters, scanned)).rows.map(({ transactionUuid }) => transactionUuid)

test.each<[string, EventFilters, (string | null)[]]>([
  ['a step, which only transactions have', { step: 'PENDING' }, [paid, unpaid]],
  ['a step and a type', { step: 'PENDING', type: 'cryptoToFiat' }, []],
  ['a step that none has reached', { step: 'SUCCESS' }, []],
  ['a flag', { flag: 'late' }, [unpaid]],
  ['a flag and a step', { flag: 'late', step: 'PENDING' }, [unpaid]],
  ['an endpoint', { endpointUuid: here }, [paid, unpaid, null]],
  ['an endpoint of a person', { endpointUuid: here, userUuid: ana }, [paid, unpaid, null]],
  ['another endpoint', { endpointUuid: crypto.randomUUID() }, []],
])('the events of %s', async (_, filters, expected) => {
  expect(await ids(filters)).toEqual(expected)
})

test('what was gone through without a match is not gone through again on the next page', async () => {
  const all = await listEvents(support)
  const pages: (string | null)[][] = []
  let before: string | undefined
  do {
    const page = await listEvents(support, { step: 'PENDING', flag: 'late', before }, 1)
    pages.push(page.rows.map(({ transactionUuid }) => transactionUuid))
    expect(page.newest).toBe(all.newest)
    before = page.older ?? undefined
  } while (before !== undefined && pages.length < 9)
  expect(pages).toEqual([[], [unpaid], [], []])
})

test('an address that asks for what there cannot be lists nothing', () => {
  const asked = { type: null, step: 'PENDING', user: ana.toUpperCase(), endpoint: null, flag: 'late' }
  expect(readEventFilters(asked)).toMatchObject({ step: 'PENDING', userUuid: ana, flag: 'late' })
  for (const wrong of [{ flag: 'odd' }, { endpoint: 'x' }, { user: 'x' }])
    expect(readEventFilters({ ...asked, ...wrong })).toBeNull()
})

test('who is not told of endpoints cannot ask by one', async () => {
  const compliance = callerWith('compliance')
  await expect(listEvents(compliance, { endpointUuid: here })).rejects.toThrow(NotAllowed)
  await expect(listEventSources(compliance)).rejects.toThrow(NotAllowed)
  expect(await listEventSources(support)).toEqual([{ uuid: here, name: null }])
})

test('an event that came through two endpoints is found by either', async () => {
  const there = crypto.randomUUID()
  await receive(there, [payment])
  expect(await ids({ endpointUuid: there })).toEqual([paid])
  expect(await ids({ endpointUuid: here })).toEqual([paid, unpaid, null])
})

test('an event of a transaction whose fiat amount was not given yet has the stablecoin amount beside it', async () => {
  const sold = crypto.randomUUID()
  const given = { transactionUuid: sold, amountCrypto: 340.5, currencyCrypto: 'usdc' }
  await receive(crypto.randomUUID(), [event('cryptoToFiat', given)])
  const { rows } = await listEvents(support, { type: 'cryptoToFiat' })
  expect(rows).toMatchObject([{ transactionUuid: sold, amount: { value: '340.5', currency: 'usdc' } }])
})
