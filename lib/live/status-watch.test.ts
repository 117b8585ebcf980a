import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Status } from '#lib/operations/status/status.ts'
import { watchStatus } from './status-watch.ts'

const noon = Date.parse('2026-02-01T12:00:00.000Z')

beforeEach(() => {
  vi.useFakeTimers({ now: noon })
})
afterEach(() => vi.useRealTimers())

const read = vi.fn<() => Promise<Status>>()
const isRead = async (): Promise<Status> => ({
  at: Date.now(),
  health: {
    unreadSince: null,
    lastDeliveryAt: '2026-02-01T11:59:00.000Z',
    receiving: true,
    behindSince: null,
    gap: null,
    service: null,
    unwatchedSince: null,
  },
  counts: { held: 3, people: 0, checks: 0, accounts: 0, companies: 0, gaps: 0, endpoints: 0 },
  alerts: { silence: 1 },
})
const isAway = async () => {
  throw new Error('connect ECONNREFUSED')
}

/** The result has a watch without notifications, the statuses sent to one viewer, and a heartbeat. */
function watch() {
  const source = {
    subscribe: () => () => undefined,
    onListening: () => () => undefined,
    close: async () => {},
  }
  const statuses = watchStatus(source, read)
  const sent: { at: number; health: { unreadSince: string | null } | null; counts: object }[] = []
  statuses.join('support', (bytes) =>
    sent.push(JSON.parse(/^data: (.+)$/m.exec(bytes.toString())?.[1] ?? '')),
  )
  async function beat(answer: () => Promise<Status>) {
    read.mockImplementation(answer)
    await vi.advanceTimersByTimeAsync(15_000)
    statuses.check()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { statuses, sent, beat }
}

test('viewers are also told by a process that could never read the status', async () => {
  const { statuses, sent, beat } = watch()
  // The watch reads the status when a viewer joins, and at each heartbeat.
  await beat(isAway)
  await beat(isAway)
  expect(sent).toMatchObject([
    {
      at: noon + 15_000,
      health: { unreadSince: '2026-02-01T12:00:00.000Z', receiving: null },
      counts: { held: null },
    },
  ])
  expect(statuses.recent(3_600_000)).toBeNull()
  await beat(isRead)
  expect(sent[1]).toMatchObject({ health: { unreadSince: null }, counts: { held: 3 } })
})

test('viewers are told once after two failed reads, and again after a successful one', async () => {
  const { statuses, sent, beat } = watch()
  await beat(isRead)
  expect(sent.map(({ health }) => health?.unreadSince)).toEqual([null])
  await beat(isAway)
  expect(sent).toHaveLength(1)
  await beat(isAway)
  await beat(isAway)
  expect(sent).toHaveLength(2)
  // The time is that of the first failed read. `at` is newer than the pages' status, or they would ignore it.
  expect(sent[1]).toMatchObject({
    at: noon + 45_000,
    health: { unreadSince: '2026-02-01T12:00:30.000Z', receiving: true },
    counts: { held: 3 },
  })
  expect(statuses.latest('support')?.toString()).toContain('"unreadSince":"2026-02-01T12:00:30.000Z"')
  expect(statuses.recent(3_600_000)).toBeNull()
  await beat(isRead)
  expect(sent.map(({ health }) => health?.unreadSince).slice(2)).toEqual([null])
  await beat(isAway)
  await beat(isRead)
  expect(sent).toHaveLength(3)
})

test.each([-3_600_000, 300_000])(
  'what could not be read is newer than what was, and older than what is read next, where the database’s clock is %s ms ahead',
  async (ahead) => {
    const { sent, beat } = watch()
    const isReadThere = async () => ({ ...(await isRead()), at: Date.now() + ahead })
    await beat(isReadThere)
    await beat(isAway)
    await beat(isAway)
    await beat(isReadThere)
    expect(sent.map(({ at, health }) => [at - noon - ahead, health?.unreadSince != null])).toEqual([
      [0, false],
      [45_000, true],
      [60_000, false],
    ])
  },
)

test('a viewer that cannot be sent to keeps nothing from the others, and the watch goes on', async () => {
  const { statuses, sent, beat } = watch()
  statuses.join('support', () => {
    throw new Error('of a stream')
  })
  const later: string[] = []
  statuses.join('support', (bytes) => later.push(bytes.toString()))
  await beat(isRead)
  expect([sent.length, later.length]).toEqual([1, 1])
  await beat(isAway)
  await beat(isAway)
  expect([sent.length, later.length]).toEqual([2, 2])
  await beat(isRead)
  expect(sent.at(-1)).toMatchObject({ health: { unreadSince: null }, counts: { held: 3 } })
})
