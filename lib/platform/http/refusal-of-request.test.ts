import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { exportedNames } from '../../../test/exported-names.ts'
import { answerBrokenHttp, isAmbiguous, meantTarget, methodsOf, refusalOfHead } from './refusal-of-request.ts'

const asked = (url: string, rawHeaders = ['Host', 'dash.example'], httpVersion = '1.1') =>
  isAmbiguous({ url, rawHeaders, httpVersion })

describe('a request is refused since servers may read it differently when its target', () => {
  it.each([
    '*',
    '',
    'http://evil.example/x',
    'https://dash.example/sign-in',
    'dash.example:443',
    '//evil.example/x',
    '/x/../api/search',
    '/..',
    '/./api/search',
    '/api/webhooks/.',
    '/x/%2e%2e/api/search',
    '/x/.%2E/api/search',
    '/x/..%2fapi/search',
    '/x/%5C..%5capi/search',
    '/x\\..\\api\\search',
    '/api/search\\',
    '/api/s%65arch',
    '/%61pi/search',
    '/api/search#x',
    '/api/search?a=b#x',
    '/api/l\u{ed}ve',
    '/api/ live',
    '/api/\u0000',
    '/users/__proto__',
    '/__proto__/x?a=b',
  ])('is %s', (url) => expect(asked(url)).toBe(true))
})

describe('a request is taken when its target', () => {
  it.each([
    '/',
    '/sign-in',
    '/api/webhooks/0193c5a2-0000-7000-8000-000000000000',
    '/api/search/',
    '/api//search',
    '/users?search=../..&x=//y\\z',
    '/accounts/a.b..c',
    '/accounts/%20%C3%A4%2F%3A%25',
    '/accounts/..x/...',
    '/timeline/unknown%3Anone',
    '/go/https://explorer.example/tx/0x12',
    '/go/100%',
    '/_next/static/chunks/app/(staff)/transactions/%5Buuid%5D/page-1a.js?dpl=x',
    '/social.png',
    '/users/__proto__x',
  ])('is %s', (url) => expect(asked(url)).toBe(false))
})

it.each([
  [[]],
  [['Host', '']],
  [['Host', 'a', 'host', 'a']],
  [['HOST', 'a', 'Cookie', 'x', 'Host', 'evil.example']],
  [['Host', 'a b']],
  [['Host', 'a@b']],
  [['Host', 'a/b']],
  [['Host', '[']],
  [['Host', 'a, b']],
  [['Host', 'a:x']],
])('a request is refused with the headers %j', (headers) => expect(asked('/sign-in', headers)).toBe(true))

it.each([
  ['a', '1.1'],
  ['localhost:3000', '1.1'],
  ['[::1]:3000', '1.1'],
  ['dashboard_upstream', '1.1'],
])('a request is accepted for the host %s', (host, version) =>
  expect(asked('/sign-in', ['Accept', '*/*', 'Host', host], version)).toBe(false),
)

it('HTTP/1.0 need not name a host', () => expect(asked('/sign-in', [], '1.0')).toBe(false))

const head = (method: string, headers: Record<string, string>) => refusalOfHead({ method, headers })

const methods = (path: string) => methodsOf(path, (one) => one === '/icon.svg').join(' ')

it('a page has the methods of a page, and a file can only be read', () => {
  for (const page of ['/', '/sign-in', '/users/x.y', '/none'])
    expect(methods(page)).toBe('GET HEAD POST OPTIONS')
  for (const read of ['/icon.svg', '/_next/static/x.js', '/go/x', '/api/none'])
    expect(methods(read)).toBe('GET HEAD OPTIONS')
})

it.each(fs.globSync('app/**/route.ts'))('%s has the methods that it exports', (file) => {
  const exported = exportedNames(fs.readFileSync(file, 'utf8'))
  const path = `/${file.replace(/^app\//, '').replace(/\/route\.ts$/, '')}`
  // The methods of these routes are checked before.
  if (/webhooks|live/.test(path)) return
  for (const method of ['GET', 'POST'])
    expect(methods(path).includes(method), `${method} ${exported}`).toBe(exported.includes(method))
})

const id = '0193c5a2-0000-7000-8000-00000000abcd'
const meant = (url: string, method = 'POST') =>
  meantTarget({ url, method, headers: { host: 'Dash.example:80' } })

it.each([
  `/%61pi/webhooks/${id}`,
  `//api//webhooks///${id}//`,
  `/API/WEBHOOKS/${id}`,
  `/api/webhooks/%30193c5a2-0000%2d7000-8000-00000000abcd`,
  `/api%2fwebhooks%2F${id}`,
  `/api\\webhooks/${id}`,
  `/x/%2e%2e/api/./webhooks/${id}`,
  `/api/webhooks/${id}/more`,
  `/api/webhooks/${id}%0A`,
  `/api/webhooks/${id}?x=//y#z`,
  `http://other.example/api/webhooks/${id}`,
  `https://dash.example:80//api/webhooks/${id}`,
])('a delivery to %s is meant for its receiver', (url) => {
  expect(meant(url)).toBe(`/api/webhooks/${id}`)
})

it.each([
  [`/go/api/webhooks/${id}`],
  [`/api/webhooks/${id}/../../live`],
  [`/api/webhooks/${id}x`],
  ['/api/webhooks/x'],
  [`/x?y=/api/webhooks/${id}`],
  [`/100%/api/webhooks/${id}`],
  ['/sign%2Din'],
  ['//evil.example/x'],
  ['http://evil.example/x'],
  ['http://[/x'],
  ['*'],
  [''],
])('other targets stay unchanged: %s', (url) => expect(meant(url)).toBe(url))

it('an address with the requested host becomes its path, and OPTIONS * becomes /', () => {
  expect(meant('http://dash.EXAMPLE:80/users?x=/../y')).toBe('/users?x=/../y')
  expect(meant('http://dash.example:80')).toBe('/')
  expect(meant('http://dash.example:80?x')).toBe('/?x')
  expect(meant('*', 'OPTIONS')).toBe('/')
})

it('a page accepts no form that is no action, and no invalid origin', () => {
  const form = { 'content-type': 'Multipart/Form-Data; boundary=x' }
  expect(head('POST', form)).toBe(400)
  expect(head('POST', { ...form, 'next-action': 'x' })).toBeNull()
  expect(head('POST', { 'content-type': 'application/x-www-form-urlencoded' })).toBeNull()
  for (const origin of ['::::', 'http://[', '', 'x']) expect(head('POST', { origin })).toBe(400)
  for (const origin of ['null', 'https://a.example']) expect(head('POST', { origin })).toBeNull()
})

const hi = 'GET /sign-in HTTP/1.1\r\nHost: dash.example\r\n\r\n'

it.each([
  [
    'the PROXY protocol',
    `PROXY TCP4 192.0.2.1 192.0.2.2 50000 443\r\n${hi}`,
    /PROXY protocol.*X-Forwarded-For/,
  ],
  ['the PROXY protocol of an unknown caller', `PROXY UNKNOWN\r\n${hi}`, /PROXY protocol/],
  [
    'the PROXY protocol, version 2',
    `\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c${'\0'.repeat(12)}${hi}`,
    /PROXY protocol/,
  ],
  ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', /HTTP\/1\.1/],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', /plain HTTP/],
  ['something else', 'GET / HTTP\r\n\r\n', /^This is not HTTP/],
])('a proxy that speaks %s reads what to change', async (_what, bytes, words) => {
  const server = http.createServer()
  const broken = once(server, 'clientError')
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  const socket = net.connect(typeof address === 'object' && address ? address.port : 0, 'localhost')
  socket.end(Buffer.from(bytes, 'latin1'))
  const [error] = await broken
  socket.destroy()
  server.close()
  expect(answerBrokenHttp(error)).toMatchObject({ status: 400, body: expect.stringMatching(words) })
})

it('a method that is called PROXY is one that nothing has', () => {
  const rawPacket = Buffer.from('PROXY /x HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(answerBrokenHttp({ code: 'HPE_INVALID_METHOD', rawPacket }).status).toBe(405)
})
