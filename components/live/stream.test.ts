import { once } from 'node:events'
import http from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Stream } from './stream.ts'
import type { StreamMessage } from './stream-message.ts'

/** A browser's event source that a test speaks through. */
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
  /** An answer that is no stream. */
  refuse() {
    this.readyState = Source.CLOSED
    this.onerror?.()
  }
}

let sources: Source[] = []
let answer: { readonly status: number; readonly headers: Record<string, string> }
let server: http.Server
const opened: Stream[] = []

beforeEach(async () => {
  sources = []
  vi.stubGlobal('EventSource', Source)
  server = http.createServer((_request, response) => response.writeHead(answer.status, answer.headers).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
  server.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function open(position: string | null = 'a.1') {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const received: StreamMessage[] = []
  const stream = new Stream(`http://127.0.0.1:${port}`, position, {
    onMessage: (one) => received.push(one),
    onState: () => undefined,
  })
  opened.push(stream)
  stream.open()
  return { stream, received }
}

const last = () => sources.at(-1) ?? new Source('none')
const from = ({ url }: Source) => new URL(url).searchParams.get('from')

test('begins where the page was made, and says nothing of what came before', () => {
  const { received, stream } = open()
  last().onopen?.()
  expect(from(last())).toBe('a.1')
  expect(stream.state).toBe('live')
  expect(received).toEqual([])
})

test('says that anything may have changed where nobody knows where the page was made', () => {
  const { received } = open(null)
  last().onopen?.()
  expect(from(last())).toBeNull()
  expect(received).toEqual([{ kind: 'changed', subjects: 'anything', position: null }])
})

test('goes on where it was after a broken connection, and also after beats alone', () => {
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

test('a connection that says nothing for longer than its beats is opened anew', () => {
  vi.useFakeTimers()
  const { stream } = open()
  last().onopen?.()
  vi.advanceTimersByTime(39_000)
  expect(sources).toHaveLength(1)
  last().beat('a.5')
  vi.advanceTimersByTime(39_000)
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

test('a page that gets no stream looks for changes every few seconds, and says so', async () => {
  answer = { status: 429, headers: { 'retry-after': '1' } }
  const { stream, received } = open()
  last().refuse()
  await expect.poll(() => stream.state).toBe('delayed')
  expect(received).toEqual([{ kind: 'changed', subjects: 'anything', position: null }])
  await expect.poll(() => sources.length, { timeout: 5_000 }).toBe(2)
})

test('a page whose session has ended is told so', async () => {
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

test('a stream that says that its session has ended does not come back', () => {
  vi.useFakeTimers()
  const { stream, received } = open()
  last().onopen?.()
  last().onmessage?.({ data: '{"kind":"signed-out"}', lastEventId: '' })
  stream.wake()
  vi.advanceTimersByTime(60_000)
  expect(received).toEqual([{ kind: 'signed-out' }])
  expect(sources.map(({ readyState }) => readyState)).toEqual([Source.CLOSED])
})
