import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveStatus } from '#lib/operations/rules/health.ts'
import { setLockAt } from '../browser/session.ts'
import { LiveFeed } from './live-feed.ts'
import type { ChangedSubjects } from './stream-message.ts'

/** The test sends messages through this event source. */
class Source extends EventTarget {
  onopen: (() => void) | undefined
  onmessage: ((message: { data: string; lastEventId: string }) => void) | undefined
  constructor() {
    super()
    sources.push(this)
  }
  close() {
    this.onmessage = undefined
  }
}

let sources: Source[] = []
const opened: LiveFeed[] = []
beforeEach(() => {
  sources = []
  vi.stubGlobal('EventSource', Source)
  // No tab shares a stream with another.
  vi.stubGlobal('navigator', {})
})
afterEach(() => {
  for (const feed of opened.splice(0)) feed.close()
  setLockAt(Number.POSITIVE_INFINITY)
  vi.unstubAllGlobals()
})

const status = (at: number, held: number): LiveStatus => ({
  at,
  health: null,
  counts: { held, people: 0, accounts: 0, companies: 0, gaps: null, endpoints: null, alerts: null },
})

function open() {
  const seen = { changes: [] as ChangedSubjects[], signedOut: 0, reported: 0 }
  const start = { url: '/api/live', name: 'a', position: 'a.1', status: status(1, 1) }
  const feed = new LiveFeed(start, () => {
    seen.signedOut += 1
  })
  opened.push(feed)
  feed.onChange((changed) => {
    seen.changes.push(changed)
    return undefined
  })
  feed.onState(() => {
    seen.reported += 1
  })
  feed.open()
  const say = (subjects: readonly string[] | null) =>
    sources[0]?.onmessage?.({ data: JSON.stringify({ kind: 'changed', subjects }), lastEventId: '' })
  return { feed, seen, say }
}

test('a pause shows how many wait, each once, and delivers them when it ends', () => {
  const { feed, seen, say } = open()
  feed.pause()
  say(['x', 'y'])
  say(['y', 'z', 'of:somebody'])
  expect(feed.state).toBe('paused')
  expect(feed.waiting).toBe(3)
  expect(seen).toMatchObject({ changes: [], reported: 3 })
  feed.resume()
  expect(seen.changes).toEqual([['x', 'y', 'z', 'of:somebody']])
  expect(feed.waiting).toBe(0)
})

test('a pause during which anything may have changed shows an unknown number', () => {
  const { feed, seen, say } = open()
  feed.pause()
  say(['x'])
  say(null)
  say(['y'])
  expect(feed.waiting).toBeNull()
  feed.resume()
  expect(seen.changes).toEqual(['anything'])
})

test('changes that arrive while a listener is busy arrive as one', async () => {
  const { feed, seen, say } = open()
  const busy = Promise.withResolvers<void>()
  feed.onChange(() => busy.promise)
  say(['x'])
  say(['y'])
  say(['z'])
  expect(seen.changes).toEqual([['x']])
  busy.resolve()
  await expect.poll(() => seen.changes).toEqual([['x'], ['y', 'z']])
})

test('a listener that throws is reported, and neither it nor the others miss a later change', async () => {
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  const { feed, say } = open()
  const failure = new Error('of a listener')
  const throwing = vi.fn((): undefined => {
    throw failure
  })
  const after: ChangedSubjects[] = []
  feed.onChange(throwing)
  feed.onChange((changed) => {
    after.push(changed)
    return undefined
  })
  say(['x'])
  await expect.poll(() => after).toEqual([['x']])
  say(['y'])
  await expect.poll(() => after).toEqual([['x'], ['y']])
  expect(throwing).toHaveBeenCalledTimes(2)
  expect(report.mock.calls).toEqual([[failure], [failure]])
})

test('a state that makes a listener throw still reaches the others, and ends nothing', () => {
  vi.stubGlobal('reportError', vi.fn())
  const { feed, seen } = open()
  feed.onState(() => {
    throw new Error('of a listener')
  })
  const states: string[] = []
  feed.onState(() => states.push(feed.state))
  feed.pause()
  feed.resume()
  expect(states).toEqual(['paused', 'connecting'])
  sources[0]?.onmessage?.({ data: '{"kind":"signed-out"}', lastEventId: '' })
  expect(seen.signedOut).toBe(1)
})

test('changes while the page is locked arrive when it is unlocked', async () => {
  const { feed, seen, say } = open()
  setLockAt(Date.now())
  say(['x'])
  say(['y'])
  expect(seen.changes).toEqual([])
  // `Live` does the same on unlocking.
  setLockAt(Date.now() + 60_000)
  feed.close()
  feed.open()
  expect(seen.changes).toEqual([['x', 'y']])
})

test('the later of two statuses counts, whether the page or the stream brought it', () => {
  const { feed } = open()
  const fromStream = (data: LiveStatus) =>
    sources[0]?.dispatchEvent(new MessageEvent('status', { data: JSON.stringify(data) }))
  fromStream(status(5, 2))
  expect(feed.status?.counts.held).toBe(2)
  feed.takeStatus(status(4, 9))
  expect(feed.status?.counts.held).toBe(2)
  feed.takeStatus(status(6, 3))
  expect(feed.status?.counts.held).toBe(3)
})

test('a session that has ended is reported', () => {
  const { feed, seen } = open()
  sources[0]?.onmessage?.({ data: '{"kind":"signed-out"}', lastEventId: '' })
  expect(seen).toMatchObject({ changes: [], signedOut: 1 })
  expect(feed.state).toBe('reconnecting')
})
