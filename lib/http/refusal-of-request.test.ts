import { describe, expect, it } from 'vitest'
import { isAmbiguous, refusalOfHead } from './refusal-of-request.ts'

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
])('a request is taken for the host %s', (host, version) =>
  expect(asked('/sign-in', ['Accept', '*/*', 'Host', host], version)).toBe(false),
)

it('HTTP/1.0 need not name a host', () => expect(asked('/sign-in', [], '1.0')).toBe(false))

const head = (method: string, headers: Record<string, string>, path = '/sign-in') =>
  refusalOfHead({ method, headers }, path, (one) => one === '/icon.svg')

it('a page has the methods of a page, and a file can only be read', () => {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) expect(head(method, {})).toBeNull()
  for (const method of ['TRACE', 'PROPFIND', 'PUT', 'DELETE', 'PATCH', 'QUERY', '__proto__'])
    expect(head(method, {})).toBe(405)
  expect(head('POST', { 'next-action': 'x' }, '/icon.svg')).toBe(405)
  expect(head('GET', {}, '/icon.svg')).toBeNull()
})

it('a page is sent no form that is no action, and no origin that is none', () => {
  const form = { 'content-type': 'Multipart/Form-Data; boundary=x' }
  expect(head('POST', form)).toBe(400)
  expect(head('POST', { ...form, 'next-action': 'x' })).toBeNull()
  expect(head('POST', { 'content-type': 'application/x-www-form-urlencoded' })).toBeNull()
  for (const origin of ['::::', 'http://[', '', 'x']) expect(head('POST', { origin })).toBe(400)
  for (const origin of ['null', 'https://a.example']) expect(head('POST', { origin })).toBeNull()
})
