import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  endpointsPath,
  type RawRequest,
  startRawSandbox,
  validEndpoint as valid,
} from '../test/raw-sandbox.ts'
import { apiKey } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startRawSandbox>>
beforeAll(async () => {
  sandbox = await startRawSandbox()
})
afterAll(() => sandbox.stop())

const uuid = crypto.randomUUID()
const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
const withField = (name: string, json: string) =>
  `{"url":"${valid.url}","description":"Ledger","${name}":${json}}`
const withDescription = (json: string) => `{"url":"${valid.url}","description":${json}}`
const withUrl = (json: string) => `{"description":"Ledger","url":${json}}`
const userRoute = { path: '/onboarding/user', method: 'GET', body: '' }
const shareRoute = { path: '/onboarding/user/kyc/applicant/share-token', body: '' }
const loginRoute = { path: '/onboarding/auth/login' }
const otpRoute = { path: '/onboarding/auth/otp/' }
/** A client may omit every field of these bodies, but not the body. */
const bodiless = [
  [`${endpointsPath}/${uuid}`, 'PATCH'],
  ['/_sandbox/history', 'POST'],
] as const
const newUser = { email: 'bad@demo.test', first_name: 'A', last_name: 'B', country: 'ES' }

describe('a request', () => {
  it.each<[string, number, RawRequest]>([
    ['no API key', 401, { key: [] }],
    ['an empty API key', 401, { key: [''] }],
    ['the API key twice', 401, { key: [apiKey, apiKey] }],
    ['a wrong API key after the right one', 401, { key: [apiKey, 'another'] }],
    ['the API key behind Bearer', 401, { key: [`Bearer ${apiKey}`] }],
    ['no Host', 400, { host: [] }],
    ['Host twice', 400, { host: ['localhost', 'localhost'] }],
    ['a Host that is none', 400, { host: ['local host'] }],
    ['no Content-Type', 400, { type: [] }],
    ['an empty Content-Type', 400, { type: [''] }],
    ['Content-Type twice', 400, { type: ['application/json', 'application/json'] }],
    ['plain text', 400, { type: ['text/plain'] }],
    ['a form', 400, { type: ['application/x-www-form-urlencoded'], body: 'url=x' }],
    ['a content type that only begins like JSON', 400, { type: ['application/jsonp'] }],
    ['a compressed body', 400, { more: { 'Content-Encoding': 'gzip' }, body: randomBytes(60) }],
    ['another expectation', 417, { more: { Expect: 'miracles' } }],
    ['neither session nor user', 401, userRoute],
    ['a session that does not exist', 401, { ...userRoute, more: { 'service-session-id': 'x' } }],
    ['an empty session', 401, { ...userRoute, more: { 'service-session-id': '' } }],
    ['two sessions', 401, { ...userRoute, more: { 'service-session-id': ['x', 'x'] } }],
    ['a user that does not exist', 404, { ...userRoute, more: { 'user-uuid': uuid } }],
    ['a user that cannot exist', 400, { ...userRoute, more: { 'user-uuid': 'x' } }],
    ['two users', 400, { ...userRoute, more: { 'user-uuid': [uuid, uuid] } }],
    ['a token for nobody', 401, shareRoute],
    ['a token for two users', 400, { ...shareRoute, more: { 'user-uuid': [uuid, uuid] } }],
  ])('with %s is refused with %i', (_case, status, request) =>
    sandbox.expectRefusal(status, sandbox.write(request)),
  )

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['null', 'null'],
    ['a list', '[]'],
    ['a list around the right object', [valid]],
    ['a text', '"text"'],
    ['a number', '1e999'],
    ['half an object', '{"url":"https://merchant.example/hook",'],
    ['a comma too many', '{"url":"https://merchant.example/hook","description":"Ledger",}'],
    ['single quotes', "{'url':'https://merchant.example/hook','description':'Ledger'}"],
    ['two objects', `${JSON.stringify(valid)}${JSON.stringify(valid)}`],
    ['a NUL byte', Buffer.from(`${JSON.stringify(valid)}\0`)],
    ['bytes that are no UTF-8', Buffer.from(withDescription('"\xff\xfe"'), 'latin1')],
    ['UTF-16', Buffer.from(JSON.stringify(valid), 'utf16le')],
    ['a depth of 5,000', deep],
    ['a depth of 5,000 in a field', withDescription(deep)],
    ['a depth of 5,000 in a field too many', withField('more', deep)],
    ['a depth of 5,000 in an object', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['the key __proto__', withField('__proto__', '{"status":"disabled"}')],
    ['the key constructor', withField('constructor', '{}')],
    ['a key of half a megabyte', withField('x'.repeat(500_000), '1')],
    ['a number for a text', withDescription('1')],
    ['a huge number for a text', withDescription('1e400')],
    ['true for a text', withDescription('true')],
    ['null for a text', withDescription('null')],
    ['an object for a text', withDescription('{"toString":"Ledger"}')],
    ['NUL in a text', withDescription('"a\\u0000"')],
    ['half a character', withDescription('"\\ud800"')],
    ['256 characters', withDescription(`"${'ü'.repeat(256)}"`)],
    ['an address with NUL', withUrl('"https://merchant.example/\\u0000"')],
    ['an address with half a character', withUrl('"https://merchant.example/\\udfff"')],
    ['an address over two lines', withUrl('"https://merchant\\n.example/"')],
    ['an address with a blank before it', withUrl('" https://merchant.example/"')],
    ['an address of 3,000 characters', withUrl(`"https://merchant.example/${'x'.repeat(3_000)}"`)],
    ['events that are null', withField('subscribed_events', 'null')],
    ['events in an object', withField('subscribed_events', '{"0":"KYC","length":1}')],
    ['events with a number', withField('subscribed_events', '["KYC",1]')],
    ['events nested', withField('subscribed_events', '[["KYC"]]')],
    [
      '130,000 events that do not exist',
      withField('subscribed_events', JSON.stringify(Array(130_000).fill(1))),
    ],
  ])('whose body is %s is refused with 400', (_case, body) =>
    sandbox.expectRefusal(400, sandbox.write({ body })),
  )

  it.each<[string, number, RawRequest]>([
    [
      'both branches at once',
      400,
      { ...loginRoute, body: { user_uuid: uuid, message: 'm', signature: '0x' } },
    ],
    ['a message without signature', 400, { ...loginRoute, body: { message: 'm' } }],
    ['a message that is no text', 400, { ...loginRoute, body: { message: ['m'], signature: '0x' } }],
    ['a message that is none', 401, { ...loginRoute, body: { message: 'm', signature: '0x' } }],
    ['a message with NUL', 401, { ...loginRoute, body: { message: '\0', signature: '\0' } }],
    [
      'a message of 20,000 characters',
      400,
      { ...loginRoute, body: { message: 'm'.repeat(20_000), signature: '0x' } },
    ],
    ['a user_uuid that is none', 400, { ...loginRoute, body: { user_uuid: `${uuid} ` } }],
    ['a user_uuid that is a number', 400, { ...loginRoute, body: { user_uuid: 1 } }],
    ['a user_uuid that nobody has', 404, { ...loginRoute, body: { user_uuid: uuid } }],
    ['no code', 400, { ...otpRoute, body: { user_uuid: uuid } }],
    ['a code that is a number', 400, { ...otpRoute, body: { user_uuid: uuid, one_time_password: 123456 } }],
    ['a code for nobody', 404, { ...otpRoute, body: { user_uuid: uuid, one_time_password: '123456' } }],
    ['a day that is none', 400, { path: userRoute.path, body: { ...newUser, date_of_birth: '2001-02-30' } }],
    ['a day in the year 0', 400, { path: userRoute.path, body: { ...newUser, date_of_birth: '0000-01-01' } }],
    ['a name with a line break', 400, { path: userRoute.path, body: { ...newUser, first_name: 'a\nb' } }],
    [
      'an e-mail address with a line break',
      400,
      { path: userRoute.path, body: { ...newUser, email: 'a@demo.test\nb' } },
    ],
    ['a country in another case', 400, { path: userRoute.path, body: { ...newUser, country: 'es' } }],
    ['an unknown status', 400, { method: 'GET', body: '', path: `${endpointsPath}?status=paused` }],
    ['an empty status', 400, { method: 'GET', body: '', path: `${endpointsPath}?status=` }],
    ['two statuses', 400, { method: 'GET', body: '', path: `${endpointsPath}?status=active&status=active` }],
    ['an id that is none', 400, { method: 'GET', body: '', path: `${endpointsPath}/x` }],
    ['an id that nothing has', 404, { method: 'GET', body: '', path: `${endpointsPath}/${uuid}` }],
    [
      'an id that nothing has to delete',
      404,
      { method: 'DELETE', body: '', path: `${endpointsPath}/${uuid}` },
    ],
    [
      'an id that nothing has to rotate',
      404,
      { method: 'PATCH', body: '', path: `${endpointsPath}/${uuid}/secret` },
    ],
    ['an id that is none to rotate', 400, { method: 'PATCH', body: '', path: `${endpointsPath}/1/secret` }],
    ['an id with SQL in it', 400, { method: 'DELETE', body: '', path: `${endpointsPath}/'%20or%20true--` }],
    ['an escape that is none', 400, { method: 'GET', body: '', path: `${endpointsPath}/%zz` }],
    ['NUL in its path', 400, { method: 'GET', body: '', path: `${endpointsPath}/%00` }],
    ['a path of two slashes', 404, { path: '/onboarding//user', body: newUser }],
    ['a path with dots', 404, { path: '/onboarding/x/%2e%2e/%2e%2e/elsewhere' }],
    ['a backslash in its path', 400, { path: '/onboarding\\user' }],
    ['a path that is no path', 400, { path: 'onboarding' }],
    ['an unknown path', 404, { path: '/onboarding/invented' }],
    ['PUT', 404, { method: 'PUT' }],
    ...bodiless.flatMap(([path, method]): [string, number, RawRequest][] => [
      [`no body for ${method} ${path}`, 400, { path, method, type: [], body: '' }],
      [`an empty body for ${method} ${path}`, 400, { path, method, body: '' }],
      [`null for ${method} ${path}`, 400, { path, method, body: 'null' }],
      [`plain text for ${method} ${path}`, 400, { path, method, type: ['text/plain'], body: '{}' }],
    ]),
    ['TRACE', 404, { method: 'TRACE' }],
    ['OPTIONS', 404, { method: 'OPTIONS' }],
    ['PROPFIND', 404, { method: 'PROPFIND' }],
    ['CONNECT', 404, { method: 'CONNECT', path: 'localhost:80' }],
    ['a method that does not exist', 400, { method: 'INVENT' }],
    ['a method in small letters', 400, { method: 'post' }],
    ['a path of 20,000 characters', 431, { path: `${endpointsPath}/${'x'.repeat(20_000)}` }],
    ['a path of 10,000 characters', 404, { path: `/onboarding/${'x'.repeat(10_000)}` }],
    ['a header of 20,000 characters', 431, { more: { 'X-Note': 'x'.repeat(20_000) } }],
    [
      '5,000 headers',
      431,
      { more: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`X-${n}`, 'x'])) },
    ],
    ['a Content-Length that is none', 400, { more: { 'Content-Length': 'many' } }],
    ['two lengths', 400, { more: { 'Content-Length': ['10', '11'] } }],
    ['a length and chunks', 400, { more: { 'Transfer-Encoding': 'chunked' } }],
    ['a header with a blank in its name', 400, { more: { 'X Note': 'x' } }],
    ['NUL in a header', 400, { more: { 'X-Note': 'a\0b' } }],
  ])('with %s is refused with %i', (_case, status, request) =>
    sandbox.expectRefusal(status, sandbox.write(request)),
  )

  it.each<[string, string]>([
    ['no HTTP', 'hello\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['another version', 'GET / HTTP/9.9\r\n\r\n'],
    ['an empty line in its head', 'GET \r\n / HTTP/1.1\r\n\r\n'],
    [
      'a broken chunk',
      `POST ${endpointsPath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ])('that is %s is refused with 400', (_case, bytes) => sandbox.expectRefusal(400, bytes))

  it('that asks for another protocol is answered as if it had not', async () => {
    const more = { Connection: ['Upgrade, close'], Upgrade: 'websocket' }
    expect((await sandbox.sendRaw(sandbox.write({ method: 'GET', body: '', more }))).status).toBe(200)
  })

  it('that is right is still taken after all of these, and kept', async () => {
    const before = await sandbox.contents()
    expect((await sandbox.sendRaw(sandbox.write({}))).status).toBe(201)
    expect(await sandbox.contents()).not.toEqual(before)
  })

  it('that is refused leaves its connection to the next', async () => {
    const keepAlive = { Connection: 'keep-alive' }
    const first = sandbox.write({ body: 'null', more: keepAlive })
    const { status, text } = await sandbox.sendRaw(first, sandbox.write({ method: 'GET', body: '' }))
    expect(status).toBe(400)
    expect(text).toContain('HTTP/1.1 200 OK')
  })

  it('HEAD is answered like GET, without a body', async () => {
    const { status, text } = await sandbox.sendRaw(sandbox.write({ method: 'HEAD', body: '' }))
    expect([status, text]).toEqual([200, ''])
  })
})
