import { afterEach, expect, it, vi } from 'vitest'
import { failureMessage, failureText, fetchJson } from './fetch-json.ts'

afterEach(() => vi.unstubAllGlobals())

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
