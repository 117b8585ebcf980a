import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldAndRebuild, foldWaiting, takeAllShards } from '../../test/folding.ts'
import { listEvents, listUndecided } from './list-events.ts'
import type { ProjectorContext } from './projector/pipeline.ts'
import { beginRebuild } from './projector/rebuild.ts'

const staff = callerWith('support')
const [here, alsoHere] = [crypto.randomUUID(), crypto.randomUUID()]
const start = Date.UTC(2026, 10, 20, 14)
let database: TestConfiguration
let user: string
let work: ProjectorContext

beforeAll(async () => {
  database = await startDatabase()
  work = await takeAllShards(pool())
})
beforeEach(async () => {
  user = crypto.randomUUID()
  await pool().query('DELETE FROM receiver_period')
})
afterAll(() => database.stop())

/** The sandbox plays "KYC failed, then passed" like this: 15 s apart. */
const kyc = (status: string) => ({ type: 'KYC', subType: 'statusUpdate', data: { status } })
const [pending, failed, passed] = [kyc('KYC_PENDING'), kyc('SOFT_KYC_FAILED'), kyc('FULL_USER')]
const aml = (status: string) => ({ type: 'AML', subType: 'statusUpdate', data: { status } })
const wallet = { type: 'walletCreated', subType: 'walletCreated', data: {} }

async function receive(
  ...deliveries: readonly (readonly [seconds: number, body: object, receiver: string])[]
) {
  const given = deliveries.map(([seconds, body, receiverId]) => ({
    receivedAt: new Date(start + seconds * 1000),
    receiverId,
    body: Buffer.from(JSON.stringify({ ...body, uuid: user })),
  }))
  await appendPastDeliveries(given, pool())
  await foldWaiting(work)
}

const listens = (receiverId: string) =>
  pool().query(`INSERT INTO receiver_period VALUES ($1, '-infinity', NULL, '{*}', now())`, [receiverId])

/** The timeline lists the events newest first: the state, the time of a repetition, and whether the status depends on it. */
async function listed() {
  const { rows } = await listEvents(staff, { userUuid: user })
  return rows.map(({ type, status, cameAgainAt, flags }) => [
    status ?? type,
    cameAgainAt === null ? null : (Date.parse(cameAgainAt) - start) / 1000,
    ...(flags.includes('decisive') ? ['decisive'] : []),
  ])
}

test('a state that came back on the only endpoint has a row of its own', async () => {
  await listens(here)
  await receive([0, pending, here], [15, failed, here], [30, pending, here])
  expect(await listed()).toEqual([
    ['KYC_PENDING', 30, 'decisive'],
    ['SOFT_KYC_FAILED', null],
    ['KYC_PENDING', null],
  ])
})

test('so it has when something of another type was told in between', async () => {
  await listens(here)
  await receive([0, pending, here], [15, failed, here], [20, wallet, here], [30, pending, here])
  expect(await listed()).toEqual([
    ['KYC_PENDING', 30, 'decisive'],
    ['walletCreated', null],
    ['SOFT_KYC_FAILED', null],
    ['KYC_PENDING', null],
  ])
})

test('what only one of two endpoints tells again rises, and stays there through a rebuild', async () => {
  await listens(here)
  await listens(alsoHere)
  await receive(
    [0, pending, here],
    [0.2, pending, alsoHere],
    [15, failed, here],
    [15.2, failed, alsoHere],
    [30, pending, here],
  )
  const expected = [
    ['KYC_PENDING', 30, 'decisive'],
    ['SOFT_KYC_FAILED', null, 'decisive'],
  ]
  expect(await listed()).toEqual(expected)
  await beginRebuild(pool())
  await foldAndRebuild(work)
  expect(await listed()).toEqual(expected)
  // A later event is listed above it, and its doubt is history.
  await receive([100, passed, here], [100.2, passed, alsoHere])
  expect(await listed()).toEqual([
    ['FULL_USER', null],
    ['KYC_PENDING', 30],
    ['SOFT_KYC_FAILED', null],
  ])
})

test('a person’s page reads what its standings hang on, however much was said since of other types', async () => {
  await listens(here)
  const checks = [...Array(25).keys()].map((n) => [100 + n, aml(`CHECK_${n}`), here] as const)
  await receive([0, pending, here], [15, failed, here], [30, pending, here], ...checks)
  const undecided = await listUndecided(staff, user)
  expect(
    undecided.filter(({ type }) => type === 'KYC').map(({ status, cameAgainAt }) => [status, cameAgainAt]),
  ).toEqual([['KYC_PENDING', new Date(start + 30_000).toISOString()]])
  await receive([900, passed, here])
  expect((await listUndecided(staff, user)).filter(({ type }) => type === 'KYC')).toEqual([])
})

test('pages go by the place at which an event came again', async () => {
  await listens(here)
  await listens(alsoHere)
  await receive(
    [0, pending, here],
    [0.2, pending, alsoHere],
    [15, failed, here],
    [15.2, failed, alsoHere],
    [30, pending, here],
  )
  const first = await listEvents(staff, { userUuid: user, limit: 1 })
  expect(first.rows.map(({ status }) => status)).toEqual(['KYC_PENDING'])
  const second = await listEvents(staff, { userUuid: user, limit: 1, before: first.older ?? '' })
  expect(second.rows.map(({ status }) => status)).toEqual(['SOFT_KYC_FAILED'])
  expect(second.older).toBeNull()
  expect(first.newest).toBe(first.rows[0]?.cameAgainId)
  const again = await listEvents(staff, { userUuid: user, flag: 'came-again' })
  expect(again.rows.map(({ status }) => status)).toEqual(['KYC_PENDING'])
})
