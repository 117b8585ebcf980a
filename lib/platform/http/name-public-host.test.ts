import { beforeAll, expect, test } from 'vitest'
import { configure } from '../../../test/service.ts'
import { namePublicHost } from './own-origin.ts'

beforeAll(() => configure({ PUBLIC_URL: 'https://dash.example.com:8443' }))

const own = 'https://dash.example.com:8443'

test.each([
  ['the host without its port', { origin: own, host: 'dash.example.com' }],
  ['the name that it has behind the proxy', { origin: own, host: 'rampart:3000' }],
  ['a forwarded host', { origin: own, host: 'rampart:3000', 'x-forwarded-host': 'dash.example.com' }],
  [
    'a list of them',
    {
      origin: own,
      host: 'a',
      'x-forwarded-host': 'edge.example, dash.example.com',
      'x-forwarded-port': '443',
    },
  ],
  ['another protocol', { origin: own, host: 'a', 'x-forwarded-proto': 'http, https' }],
  ['no origin, as when a page is opened', { host: '10.0.0.5:3000' }],
])('our own origin has our own host, given %s', (_what, headers) => {
  const seen: Record<string, string> = { ...headers }
  namePublicHost(seen)
  expect(seen).toEqual({
    ...('origin' in headers ? { origin: own } : {}),
    host: 'dash.example.com:8443',
  })
})
