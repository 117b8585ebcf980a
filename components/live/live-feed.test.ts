import { once } from 'node:events'
import http from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveFeed } from './live-feed.ts'

/** A browser's event source that is refused: it says that it is closed, and not why. */
class RefusedSource {
  static readonly CLOSED = 2
  readonly readyState = RefusedSource.CLOSED
  onerror: (() => void) | undefined
  constructor() {
    setTimeout(() => this.onerror?.())
  }
  close() {
    this.onerror = undefined
  }
}

let answer: { readonly status: number; readonly headers: Record<string, string> }
let server: http.Server

beforeEach(async () => {
  vi.stubGlobal('EventSource', RefusedSource)
  server = http.createServer((_request, response) => response.writeHead(answer.status, answer.headers).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  vi.unstubAllGlobals()
})

function open() {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const seen = { changes: 0, signedOut: false }
  const feed = new LiveFeed(`http://127.0.0.1:${port}`, () => {
    seen.signedOut = true
  })
  feed.onChange(() => {
    seen.changes += 1
    return undefined
  })
  feed.open()
  return { feed, seen }
}

test('a page that gets no stream looks for changes every few seconds, and says so', async () => {
  answer = { status: 429, headers: { 'retry-after': '1' } }
  const { feed, seen } = open()
  await expect.poll(() => seen.changes, { timeout: 10_000 }).toBeGreaterThanOrEqual(3)
  expect(feed.state).toBe('delayed')
  expect(seen.signedOut).toBe(false)
  feed.close()
})

test('a page whose session has ended is reloaded', async () => {
  answer = { status: 401, headers: {} }
  const { feed, seen } = open()
  await expect.poll(() => seen.signedOut).toBe(true)
  expect(seen.changes).toBe(0)
  feed.close()
})

test('a page whose server is broken tries again later', async () => {
  answer = { status: 500, headers: {} }
  const { feed, seen } = open()
  await expect.poll(() => feed.state).toBe('reconnecting')
  expect(seen).toEqual({ changes: 0, signedOut: false })
  feed.close()
})

test('a stream that says that its session has ended does not come back first', async () => {
  const sources: { onmessage?: (message: { data: string }) => void; closed: boolean }[] = []
  class Source {
    closed = false
    constructor() {
      sources.push(this)
    }
    close() {
      this.closed = true
    }
  }
  vi.stubGlobal('EventSource', Source)
  const { seen } = open()
  sources[0]?.onmessage?.({ data: '{"kind":"signed-out"}' })
  expect(seen).toEqual({ changes: 0, signedOut: true })
  expect(sources.map(({ closed }) => closed)).toEqual([true])
})
