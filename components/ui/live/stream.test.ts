import { once } from 'node:events'
import http from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Stream } from './stream.ts'
import type { StreamMessage } from './stream-message.ts'

/** The test sends messages through this event source. */
class Source extends EventTarget {
  static readonly CLOSED = 2
  readyState = 1
  onopen: (() => void) | undefined
  onmessage: ((message: { data: string; lastEventId: string }) => void) | undefined
  onerror: (() => void) | undefined
  readonly url: string
  constructor(url: string) {
    super()
    this.url = url
    sources.push(this)
  }
  close() {
    this.readyState = Source.CLOSED
  }
  changed(id: string, subjects: readonly string[] | null) {
    this.onmessage?.({ data: JSON.stringify({ kind: 'changed', subjects }), lastEventId: id })
  }
  beat(position: string) {
    this.dispatchEvent(new MessageEvent('beat', { data: position }))
  }
  /** The answer is no stream. */
  refuse() {
    this.readyState = Source.CLOSED
    this.onerror?.()
  }
}

let sources: Source[] = []
let answer: { readonly status: number; readonly headers: Record<string, string> }
/** The server gives this answer about the session; null when it gives none. */
let session: object | null
let server: http.Server
const opened: Stream[] = []

beforeEach(async () => {
  sources = []
  session = { state: 'active', person: 'p', idleIn: 1, endsIn: 1 }
  vi.stubGlobal('EventSource', Source)
  server = http.createServer(({ url }, response) => {
    if (url !== '/api/session') return response.writeHead(answer.status, answer.headers).end()
    return response.writeHead(session ? 200 : 503).end(JSON.stringify(session))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ownFetch = fetch
  // A browser completes an address with that of its page.
  vi.stubGlobal('fetch', (to: string, how: RequestInit) => ownFetch(new URL(to, base()), how))
})
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
  server.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function base(): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

function open(position: string | null = 'a.1') {
  const received: StreamMessage[] = []
  const stream = new Stream(base(), position, {
    onMessage: (one) => received.push(one),
    onState: () => undefined,
  })
  opened.push(stream)
  stream.open()
  return { stream, received }
}

const last = () => sources.at(-1) ?? new Source('none')
const from = ({ url }: Source) => new URL(url).searchParams.get('from')

test('begins where the page was made, and repeats nothing from before', () => {
  const { received, stream } = open()
  last().onopen?.()
  expect(from(last())).toBe('a.1')
  expect(stream.state).toBe('live')
  expect(received).toEqual([])
})

test('reports that anything may have changed when the page’s position is unknown', () => {
  const { received } = open(null)
  last().onopen?.()
  expect(from(last())).toBeNull()
  expect(received).toEqual([{ kind: 'changed', subjects: 'anything', position: null }])
})

test('goes on from its position after a broken connection, and also after beats alone', () => {
  vi.useFakeTimers()
  const { stream } = open()
  last().onopen?.()
  last().changed('a.3', ['x'])
  last().beat('a.2')
  last().onerror?.()
  expect(stream.state).toBe('reconnecting')
  vi.advanceTimersByTime(2_000)
  expect(sources.map(from)).toEqual(['a.1', 'a.3'])
  last().onopen?.()
  last().beat('a.9')
  last().onerror?.()
  vi.advanceTimersByTime(2_000)
  expect(from(last())).toBe('a.9')
})

test('comes back within half a second after a break, and later where the next connection brings nothing', () => {
  vi.useFakeTimers()
  open()
  last().onopen?.()
  last().beat('a.2')
  last().onerror?.()
  vi.advanceTimersByTime(500)
  expect(sources).toHaveLength(2)
  last().onerror?.()
  vi.advanceTimersByTime(1_900)
  expect(sources).toHaveLength(2)
  vi.advanceTimersByTime(100)
  expect(sources).toHaveLength(3)
})

test('a connection that is silent for longer than its beats is opened again', () => {
  vi.useFakeTimers()
  const { stream } = open()
  last().onopen?.()
  vi.advanceTimersByTime(19_000)
  expect(sources).toHaveLength(1)
  last().beat('a.5')
  vi.advanceTimersByTime(19_000)
  expect(sources).toHaveLength(1)
  vi.advanceTimersByTime(10_000)
  expect(stream.state).toBe('reconnecting')
  expect(from(last())).toBe('a.5')
})

test('after a sleep it does not wait for a timer', () => {
  vi.useFakeTimers()
  const { stream } = open()
  last().onopen?.()
  stream.wake()
  expect(sources).toHaveLength(1)
  vi.setSystemTime(Date.now() + 3_600_000)
  stream.wake()
  expect(sources).toHaveLength(2)
})

test('a page that gets no stream looks for changes every few seconds, and shows that', async () => {
  answer = { status: 429, headers: { 'retry-after': '1' } }
  const { stream, received } = open()
  last().refuse()
  await expect.poll(() => stream.state).toBe('delayed')
  expect(received).toEqual([{ kind: 'changed', subjects: 'anything', position: null }])
  await expect.poll(() => sources.length, { timeout: 5_000 }).toBe(2)
})

test('a page learns that its session has ended', async () => {
  answer = { status: 401, headers: {} }
  const { received } = open()
  last().refuse()
  await expect.poll(() => received).toEqual([{ kind: 'signed-out' }])
})

test('a page whose server is broken tries again later', async () => {
  answer = { status: 500, headers: {} }
  const { stream, received } = open()
  last().refuse()
  expect(stream.state).toBe('reconnecting')
  await expect.poll(() => sources.length, { timeout: 5_000 }).toBe(2)
  expect(received).toEqual([])
})

test('a stream whose session has ended does not come back', () => {
  vi.useFakeTimers()
  const { stream, received } = open()
  last().onopen?.()
  last().onmessage?.({ data: '{"kind":"signed-out"}', lastEventId: '' })
  stream.wake()
  vi.advanceTimersByTime(60_000)
  expect(received).toEqual([{ kind: 'signed-out' }])
  expect(sources.map(({ readyState }) => readyState)).toEqual([Source.CLOSED])
})

/** A silent stream is noticed. Only timers stand still, so that the server may answer. */
const passSilently = (ms: number) => vi.advanceTimersByTime(ms)
const anything = { kind: 'changed', subjects: 'anything', position: null }

test.each([
  ['the whole answer', () => undefined],
  ['all but its head', () => last().onopen?.()],
])(
  'behind a proxy that holds back %s a page looks by itself after two streams, and says so',
  async (_what, pass) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'Date'] })
    const { stream, received } = open()
    pass()
    passSilently(25_000)
    expect(sources).toHaveLength(2)
    expect(stream.state).toBe('reconnecting')
    expect(received).toEqual([])
    pass()
    passSilently(25_000)
    await vi.waitFor(() => expect(stream.state).toBe('delayed'))
    expect(received[0]).toEqual(anything)
    const reads = received.length
    passSilently(5_000)
    await vi.waitFor(() => expect(received.length).toBeGreaterThan(reads))
    pass()
    expect(stream.state).toBe('delayed')
    last().beat('a.9')
    expect(stream.state).toBe('live')
    const before = received.length
    passSilently(15_000)
    expect(received).toHaveLength(before)
  },
)

test.each([403, 504])(
  'a page whose streams a proxy answers with %i looks for changes itself',
  async (status) => {
    answer = { status, headers: {} }
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const { stream, received } = open()
    last().refuse()
    await expect.poll(() => sources.length, { timeout: 5_000 }).toBe(2)
    last().refuse()
    await expect.poll(() => sources.length, { timeout: 9_000 }).toBe(3)
    passSilently(5_000)
    await expect.poll(() => stream.state).toBe('delayed')
    expect(received).toEqual([anything])
  },
)

test('while the server itself is away a page neither looks for changes nor says that it does', async () => {
  session = null
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'Date'] })
  const { stream, received } = open()
  passSilently(60_000)
  vi.useRealTimers()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(stream.state).toBe('reconnecting')
  expect(received).toEqual([])
})

test('a replaced stream replaces no other, until somebody looks at its page', () => {
  vi.useFakeTimers()
  const { stream, received } = open()
  last().onopen?.()
  last().onmessage?.({ data: '{"kind":"displaced"}', lastEventId: '' })
  expect(stream.state).toBe('delayed')
  expect(received).toEqual([])
  vi.advanceTimersByTime(14_000)
  expect(sources).toHaveLength(1)
  vi.advanceTimersByTime(1_000)
  expect(new URL(last().url).searchParams.has('if-free')).toBe(true)
  expect(from(last())).toBe('a.1')
  last().onmessage?.({ data: '{"kind":"displaced"}', lastEventId: '' })
  stream.wake()
  expect(new URL(last().url).searchParams.has('if-free')).toBe(false)
})
