import { afterEach, beforeEach, expect, it, test, vi } from 'vitest'
import { ChangeLog, SharedStream } from './shared-stream.ts'
import type { StreamState } from './stream.ts'
import type { StreamMessage } from './stream-message.ts'

/** The test sends messages through this event source. */
class Source extends EventTarget {
  isOpen = true
  onopen: (() => void) | undefined
  onmessage: ((message: { data: string; lastEventId: string }) => void) | undefined
  readonly url: string
  constructor(url: string) {
    super()
    this.url = url
    sources.push(this)
    queueMicrotask(() => this.onopen?.())
  }
  close() {
    this.isOpen = false
  }
  changed(id: string, ...subjects: readonly string[]) {
    this.onmessage?.({ data: JSON.stringify({ kind: 'changed', subjects }), lastEventId: id })
  }
}

let sources: Source[] = []
const opened: SharedStream[] = []
/** Each test has its own browser. */
let name = ''

beforeEach(() => {
  sources = []
  name = crypto.randomUUID()
  vi.stubGlobal('EventSource', Source)
})
afterEach(() => {
  for (const tab of opened.splice(0)) tab.close()
  vi.unstubAllGlobals()
})

/** The page of this tab was made at `position`. */
function openTab(position = 'a.1') {
  const seen = { subjects: [] as string[], state: 'connecting' as StreamState, signedOut: 0 }
  const onMessage = (message: StreamMessage) => {
    if (message.kind === 'changed')
      seen.subjects.push(...(message.subjects === 'anything' ? ['*'] : message.subjects))
    if (message.kind === 'signed-out') seen.signedOut += 1
  }
  const tab = new SharedStream('/api/live', name, position, {
    onMessage,
    onState: (state) => {
      seen.state = state
    },
  })
  opened.push(tab)
  tab.open()
  return { tab, seen }
}

const open = () => sources.filter(({ isOpen }) => isOpen)
const only = () => open()[0] ?? new Source('none')
const patiently = { timeout: 5_000 }

test('three tabs have one connection, and each gets everything once', async () => {
  const tabs = [openTab()]
  await expect.poll(open).toHaveLength(1)
  tabs.push(openTab(), openTab())
  for (const { seen } of tabs) await expect.poll(() => seen.state).toBe('live')
  only().changed('a.2', 'x')
  only().changed('a.3', 'y')
  for (const { seen } of tabs) await expect.poll(() => seen.subjects).toEqual(['x', 'y'])
  expect(sources).toHaveLength(1)
})

test('a tab that opens later gets what came after its page was made, and nothing else', async () => {
  const first = openTab()
  await expect.poll(open).toHaveLength(1)
  only().changed('a.2', 'before')
  only().changed('a.3', 'after')
  const second = openTab('a.2')
  await expect.poll(() => second.seen.subjects).toEqual(['after'])
  expect(first.seen.subjects).toEqual(['before', 'after'])
})

test('when the leading tab is closed, another goes on from its position', async () => {
  const first = openTab()
  await expect.poll(open).toHaveLength(1)
  const second = openTab()
  await expect.poll(() => second.seen.state).toBe('live')
  only().changed('a.2', 'x')
  await expect.poll(() => second.seen.subjects).toEqual(['x'])
  first.tab.close()
  await expect.poll(() => open().map(({ url }) => url)).toEqual(['/api/live?from=a.2'])
  only().changed('a.3', 'y')
  expect(second.seen.subjects).toEqual(['x', 'y'])
})

test('a tab that holds the lock and does not answer loses it, and follows when it wakes', async () => {
  const frozen = new BroadcastChannel(name)
  const robbed = navigator.locks.request(name, () => new Promise(() => undefined)).catch(() => 'robbed')
  const tab = openTab()
  await expect.poll(open, patiently).toHaveLength(1)
  expect(await robbed).toBe('robbed')
  await expect.poll(() => tab.seen.state).toBe('live')
  frozen.close()
})

test('a tab that loses the lock closes its connection and follows', async () => {
  const first = openTab()
  await expect.poll(open).toHaveLength(1)
  const released = Promise.withResolvers<void>()
  void navigator.locks.request(name, { steal: true }, () => released.promise)
  await expect.poll(open).toHaveLength(0)
  released.resolve()
  await expect.poll(open).toHaveLength(1)
  await expect.poll(() => first.seen.state).toBe('live')
})

test('all tabs learn of the end of the session, and no other tab asks again', async () => {
  const first = openTab()
  await expect.poll(open).toHaveLength(1)
  const second = openTab()
  await expect.poll(() => second.seen.state).toBe('live')
  only().onmessage?.({ data: '{"kind":"signed-out"}', lastEventId: '' })
  await expect.poll(() => second.seen.signedOut).toBe(1)
  expect(first.seen.signedOut).toBe(1)
  second.tab.wake()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(sources).toHaveLength(1)
  // Somebody has signed in again.
  for (const { tab } of [first, second]) {
    tab.close()
    tab.open()
  }
  await expect.poll(open).toHaveLength(1)
  for (const { seen } of [first, second]) await expect.poll(() => seen.state).toBe('live')
})

test('each tab has its own connection when tabs cannot share', async () => {
  vi.stubGlobal('navigator', {})
  const tabs = [openTab(), openTab()]
  expect(open()).toHaveLength(2)
  for (const { seen } of tabs) await expect.poll(() => seen.state).toBe('live')
})

test('each tab has its own connection when the browser refuses locks', async () => {
  const refuse = () => Promise.reject(new DOMException('no', 'SecurityError'))
  vi.stubGlobal('navigator', { locks: { request: refuse } })
  openTab()
  openTab()
  await expect.poll(open).toHaveLength(2)
})

function logFrom(position: string | null) {
  const log = new ChangeLog(position)
  log.add('a.5', ['x'])
  log.add('a.6', ['x', 'y'])
  log.add('a.8', ['z'])
  log.add('a.9', [])
  return log
}

it.each<[what: string, position: string | null, since: readonly string[] | 'anything']>([
  ['what came after the page was made', 'a.5', ['x', 'y', 'z']],
  ['all that the stream brought, where it begins', 'a.4', ['x', 'y', 'z']],
  ['nothing when it is as far', 'a.9', []],
  ['nothing when it is further than the stream: what is missing is still to come', 'a.12', []],
  ['that anything may have changed when it is older than the stream', 'a.3', 'anything'],
  ['that anything may have changed when another process made it', 'b.7', 'anything'],
  ['that anything may have changed when nobody knows how far it is', null, 'anything'],
])('gives a tab %s', (_what, position, since) => {
  expect(logFrom('a.4').since(position)).toEqual(since)
})

it('does not know the time before its first position', () => {
  const log = new ChangeLog(null)
  log.add(null, 'anything')
  expect(log.since('a.4')).toBe('anything')
  log.add('a.5', [])
  log.add('a.6', ['x'])
  expect(log.since('a.4')).toBe('anything')
  expect(log.since('a.5')).toEqual(['x'])
})

it('begins again with a process that was restarted', () => {
  const log = logFrom('a.4')
  log.add('b.2', 'anything')
  expect(log.since('a.9')).toBe('anything')
  expect(log.since('b.2')).toEqual([])
})

it('keeps a limited number, and reports anything before them', () => {
  const log = new ChangeLog('a.0')
  for (let count = 1; count <= 700; count++) log.add(`a.${count}`, [`${count}`])
  expect(log.since('a.100')).toBe('anything')
  expect(log.since('a.200')).toHaveLength(500)
})

it('reports anything to a tab that is behind a change without a position', () => {
  const log = logFrom('a.4')
  log.add(null, 'anything')
  expect(log.since('a.9')).toBe('anything')
  log.add('a.12', ['x'])
  expect(log.since('a.10')).toBe('anything')
  expect(log.since('a.12')).toEqual([])
})

it('reports anything when such a change came since', () => {
  const log = logFrom('a.4')
  log.add('a.10', 'anything')
  expect(log.since('a.9')).toBe('anything')
  expect(log.since('a.10')).toEqual([])
})
