import { beforeAll, expect, it } from 'vitest'
import { configure } from '../../../test/service.ts'
import { answerAuthRequest } from './route.ts'

beforeAll(() => configure({ PUBLIC_URL: 'https://dash.example.com' }))

const origin = 'https://dash.example.com'
const ask = async (action: string, headers: Record<string, string>, body = 'x') => {
  const request = new Request(`${origin}/api/auth/${action}`, { method: 'POST', headers, body })
  const answer = await answerAuthRequest(request, {
    params: Promise.resolve({ nextauth: action.split('/') }),
  })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return answer.status
}

it.each(['callback/code', 'callback/wallet', 'callback/passkey', 'signout'])(
  '%s is refused to any other origin, or none',
  async (action) => {
    expect(await ask(action, { 'content-length': '1' })).toBe(403)
    expect(await ask(action, { 'content-length': '1', origin: 'null' })).toBe(403)
    expect(await ask(action, { 'content-length': '1', origin: 'https://dash.example.com.evil.test' })).toBe(
      403,
    )
    expect(await ask(action, { 'content-length': '1', origin: 'http://dash.example.com' })).toBe(403)
  },
)

it('takes no query, least of all an address to go back to', async () => {
  for (const query of ['callbackUrl=ftp://x%0a%1b[31mforged', 'callbackUrl=/', 'error=x']) {
    const request = new Request(`${origin}/api/auth/csrf?${query}`)
    const answer = await answerAuthRequest(request, { params: Promise.resolve({ nextauth: ['csrf'] }) })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store'])
  }
})

it('takes no body that is too large, whether or not it says how large it is', async () => {
  expect(await ask('callback/code', { origin }, 'x'.repeat(65_537))).toBe(413)
  expect(await ask('callback/code', { origin, 'content-length': '70000' })).toBe(413)
})

it('takes no JSON', async () => {
  expect(await ask('callback/code', { origin, 'content-type': 'application/json' }, '{}')).toBe(415)
})

it('answers 404 to every next-auth route that sign-in does not need', async () => {
  for (const action of ['session', 'signin/code', '_log', 'callback/other'])
    expect(await ask(action, { origin, 'content-length': '1' })).toBe(404)
})
