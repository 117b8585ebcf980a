import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../../test/database.ts'
import { endpointView } from '../../../../test/endpoint-view.ts'
import { readMissedEvents } from './endpoint-warnings.tsx'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const admin = callerWith('admin')
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const [begun, seenOff, seenOn] = [hoursAgo(3), hoursAgo(2), hoursAgo(1)]

/** The endpoint elsewhere was seen in these states, each from one time until another. */
async function seen(...states: readonly (readonly [status: string, from: string, until: string])[]) {
  const uuid = crypto.randomUUID()
  for (const state of states)
    await pool().query(
      'INSERT INTO endpoint_state (endpoint_uuid, status, seen_from, seen_until) VALUES ($1, $2, $3, $4)',
      [uuid, ...state],
    )
  return endpointView(uuid, { ours: false })
}

const timesOff = async (...asked: Parameters<typeof readMissedEvents>) =>
  (await readMissedEvents(...asked)).map(({ off }) => off)

const active = ['active', hoursAgo(9), begun] as const
const off = ['auto_disabled', seenOff, seenOn] as const
const since = (after: string) => ({ after, by: new Date().toISOString() })

it('shows a time off before the next look has seen its beginning, and ends it before one has seen its end', async () => {
  const endpoint = await seen(active)
  expect(await timesOff(admin, endpoint)).toEqual([])
  const isOff = { ...endpoint, status: 'auto_disabled', statusSince: since(begun) }
  expect(await timesOff(admin, isOff)).toEqual([{ from: begun, until: null }])

  const again = { ...(await seen(active, off)), statusSince: since(seenOn) }
  expect(await timesOff(admin, again)).toEqual([{ from: begun, until: again.statusSince.by }])
})

it('shows the latest ten times of the last week', async () => {
  const lasting = (status: string, from: number, hours: number) =>
    [status, hoursAgo(from), hoursAgo(from - hours)] as const
  const times = Array.from({ length: 12 }, (_, n) => [
    lasting('disabled', n * 4 + 4, 1),
    lasting('active', n * 4 + 2, 1),
  ])
  const long = [lasting('active', 400, 1), lasting('disabled', 300, 1), lasting('active', 200, 1)]
  const few = await timesOff(admin, await seen(...long, ...times.slice(0, 2).flat()))
  expect(few).toHaveLength(2)
  const most = await timesOff(admin, await seen(...times.flat()))
  expect(most).toHaveLength(10)
  expect(most[0]?.until).toBe(times[0]?.[1]?.[1])
})

it('shows nothing for an endpoint that delivers here, nor to a role that may not replay', async () => {
  const endpoint = { ...(await seen(active, off)), status: 'auto_disabled' }
  expect(await timesOff(admin, { ...endpoint, ours: true })).toEqual([])
  expect(await timesOff(callerWith('support'), endpoint)).toEqual([])
  expect(await timesOff(admin, endpoint)).toHaveLength(1)
})
