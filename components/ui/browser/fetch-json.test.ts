import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { failureMessage, failureText, fetchJson } from './fetch-json.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** The person reads this when the server answers like that. */
async function failureOf(answer: Response): Promise<unknown> {
  vi.stubGlobal('fetch', async () => answer)
  return fetchJson('/api/search', AbortSignal.timeout(1_000)).catch((error: unknown) => error)
}

it.each([
  ['the limit that was reached and the wait', 429, 'That is more than one may ask for.', 'Wait 90 seconds.'],
  ['why it refused', 409, 'This search takes too long.', 'Type more of the text.'],
])('names %s, as the server does', async (_what, status, title, next) => {
  const error = await failureOf(Response.json({ error: title, next }, { status }))
  expect(failureMessage(error)).toEqual({ title, next })
  expect(failureText(error)).toBe(`${title} ${next}`)
})

it('shows the server’s message when a proxy makes our page another site’s', async () => {
  const answer = Response.json(
    { error: 'Not from here.', next: 'Open it at x.', elsewhere: true },
    { status: 403 },
  )
  expect(failureMessage(await failureOf(answer))).toEqual({ title: 'Not from here.', next: 'Open it at x.' })
})

it('has its own message when the server has none', async () => {
  for (const answer of [new Response('<html>', { status: 429 }), Response.json(null, { status: 429 })])
    expect(failureMessage(await failureOf(answer)).title).toBe('Too many requests')
  expect(failureText(await failureOf(Response.json({ error: 'x', next: 'y' }, { status: 403 })))).toBe(
    'Your role does not allow this. Ask an admin of your team.',
  )
})

/** The server takes the request and never ends its answer, in the head or in the body. */
const hangs = {
  before: (signal: AbortSignal) =>
    new Promise<Response>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    ),
  within: async (signal: AbortSignal) =>
    new Response(
      new ReadableStream({
        start: (body) => signal.addEventListener('abort', () => body.error(signal.reason), { once: true }),
      }),
    ),
}

it.each([
  ['before its answer', hangs.before],
  ['within its answer', hangs.within],
])('a server that hangs %s does not answer', async (_where, hang) => {
  const late = new AbortController()
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
  vi.stubGlobal('fetch', (_path: string, { signal }: { signal: AbortSignal }) => hang(signal))
  const asked = fetchJson('/api/events', new AbortController().signal).catch((error: unknown) => error)
  await nextTurn()
  late.abort(new DOMException('late', 'TimeoutError'))
  expect(await asked).toMatchObject({ name: 'FetchFailed', status: 0 })
  expect(limit).toHaveBeenCalledWith(20_000)
})

it('whoever has left hears of no failure', async () => {
  const left = new AbortController()
  vi.stubGlobal('fetch', (_path: string, { signal }: { signal: AbortSignal }) => hangs.before(signal))
  const asked = fetchJson('/api/events', left.signal).catch((error: unknown) => error)
  left.abort()
  expect(await asked).toMatchObject({ name: 'AbortError' })
})
