import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SharedStream } from './shared-stream.ts'
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
