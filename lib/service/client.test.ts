import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  breakOff,
  drip,
  hang,
  json,
  type LoopbackService,
  raw,
  reset,
  startLoopbackService,
} from '../../test/loopback-service.ts'
import { createServiceClient, type ServiceClient } from './client.ts'
import { ServiceError } from './errors.ts'
import { maxBodyBytes } from './exchange.ts'
import {
  createUser,
  exchangeOneTimePassword,
  getUser,
  listSupportedCountries,
  loginWithWallet,
  sendOneTimePassword,
} from './operations.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts'

const apiKey = 'key-6f1c2d8e-never-to-be-seen'
const serviceSessionId = 'session-91b7-never-to-be-seen'
const signature = '0xsignature-never-to-be-seen'
const oneTimePassword = '815473'
const id = '5d1f0a3e-8c44-4b7e-9a57-0d6f6b1c2e3f'
const endpoint = { uuid: id, url: 'https://merchant.example/hook', status: 'active' }

let remote: LoopbackService
let service: ServiceClient
let impatient: ServiceClient

beforeAll(async () => {
  remote = await startLoopbackService()
  service = createServiceClient({ baseUrl: remote.baseUrl, apiKey })
  impatient = createServiceClient({ baseUrl: remote.baseUrl, apiKey, timeoutMs: 200 })
})
afterAll(() => remote.stop())

async function errorOf(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => expect.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ServiceError)) throw error
  return error
}

const newEndpoint = { url: endpoint.url, description: 'd' }

describe('a refused API key', () => {
  it('is told by every call that needs the key alone, and by no other', async () => {
    let reported = 0
    const telling = createServiceClient({
      baseUrl: remote.baseUrl,
      apiKey,
      onKeyRefused: () => (reported += 1),
    })
    remote.answers(json(401, {}))
    for (const call of [listSupportedCountries, listWebhookEndpoints]) await errorOf(call(telling))
    await errorOf(sendOneTimePassword(telling, id))
    expect(reported).toBe(3)
    await errorOf(getUser(telling, { serviceSessionId }))
    await errorOf(loginWithWallet(telling, { message: 'm', signature }))
    await errorOf(exchangeOneTimePassword(telling, { userUuid: id, oneTimePassword }))
    expect(reported).toBe(3)
  })
})

describe('what is sent', () => {
  it('carries the raw API key, keeps the path prefix of base_url and marks JSON bodies', async () => {
    remote.answers(json(201, { ...endpoint, signing_secret: 's' }))
    await createWebhookEndpoint(service, newEndpoint)
    expect(remote.seen).toHaveLength(1)
    const [request] = remote.seen
    expect(request).toMatchObject({
      method: 'POST',
      path: '/onboarding/merchant/webhook-endpoints',
      headers: { authorization: apiKey, 'content-type': 'application/json', accept: 'application/json' },
    })
    expect(request?.headers).not.toHaveProperty('service-session-id')
    expect(request?.headers).not.toHaveProperty('user-uuid')
  })

  it('carries either the session or the user uuid, as the caller says', async () => {
    remote.answers(json(200, { user_uuid: id }))
    await getUser(service, { serviceSessionId })
    await getUser(service, { userUuid: id })
    expect(remote.seen[0]?.headers).toMatchObject({ 'service-session-id': serviceSessionId })
    expect(remote.seen[0]?.headers).not.toHaveProperty('user-uuid')
    expect(remote.seen[1]?.headers).toMatchObject({ 'user-uuid': id })
    expect(remote.seen[1]?.headers).not.toHaveProperty('service-session-id')
  })

  it('accepts a base address with a trailing slash, as text or URL', async () => {
    remote.answers(json(200, []))
    await listSupportedCountries(createServiceClient({ baseUrl: `${remote.baseUrl}/`, apiKey }))
    await listSupportedCountries(createServiceClient({ baseUrl: new URL(remote.baseUrl), apiKey }))
    expect(remote.seen.map(({ path }) => path)).toEqual(Array(2).fill('/onboarding/supported/countries'))
  })

  it.each(['', '..', '.', '../../user', 'a b', `${id}/secret`])(
    'asks nothing for the endpoint id %j, which is no uuid',
    async (bad) => {
      remote.answers(json(200, endpoint))
      expect(await errorOf(deleteWebhookEndpoint(service, bad))).toMatchObject({
        code: 'not-found',
        status: null,
      })
      expect(remote.seen).toHaveLength(0)
    },
  )

  it('asks nothing with a session id or user uuid that no header can carry', async () => {
    remote.answers(json(200, { user_uuid: id }))
    const session = await errorOf(getUser(service, { serviceSessionId: 'secret\r\nx: y' }))
    expect(session.code).toBe('unauthorized')
    expect(inspect(session)).not.toContain('secret')
    expect(await errorOf(getUser(service, { userUuid: 'x\r\ny' }))).toMatchObject({ code: 'not-found' })
    expect(remote.seen).toHaveLength(0)
  })
})

describe('settings', () => {
  it.each(['', 'with space', 'line\nbreak', 'schlüssel'])(
    'refuses the API key %j without quoting it',
    (bad) => {
      const create = () => createServiceClient({ baseUrl: remote.baseUrl, apiKey: bad })
      expect(create).toThrow(new TypeError('The API key must be visible ASCII characters without spaces'))
    },
  )

  it.each(['nowhere', 'ftp://host/', 'http://user:pass@host/', 'http://host/?a=b', 'http://host/#a'])(
    'refuses the base address %j',
    (bad) => expect(() => createServiceClient({ baseUrl: bad, apiKey })).toThrow(/^baseUrl must/),
  )

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a time-out of %d', (timeoutMs) =>
    expect(() => createServiceClient({ baseUrl: remote.baseUrl, apiKey, timeoutMs })).toThrow(TypeError),
  )
})

describe('a refusal', () => {
  it.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [409, 'conflict'],
    [418, 'rejected'],
    [422, 'rejected'],
    [429, 'too-many'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('with status %d is %s, whatever its body', async (status, code) => {
    const bodies: Answer[] = [
      json(status, { message: 'No.', name: 'NoError', statusCode: status, error_id: 'e-1' }),
      json(status, { message: 7, error_id: {} }),
      json(status, ['no']),
      json(status, null),
      raw(status, ''),
      raw(status, '<html><h1>No</h1></html>', { 'content-type': 'text/html' }),
    ]
    const errors: ServiceError[] = []
    for (const body of bodies) {
      remote.answers(body)
      errors.push(await errorOf(createUser(service, person)))
      expect(remote.seen).toHaveLength(1)
    }
    for (const error of errors) {
      expect(error).toMatchObject({ code, status, mayHaveTakenEffect: status >= 500 })
    }
    expect(errors.map(({ serviceMessage }) => serviceMessage)).toEqual(['No.', null, null, null, null, null])
    expect(errors.map(({ errorId }) => errorId)).toEqual(['e-1', null, null, null, null, null])
  })

  it.each([
    ['120', 120],
    ['0', 0],
    ['999999999', 86_400],
    ['soon', null],
    ['-5', null],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
  ])('reads Retry-After %j as %j seconds', async (header, seconds) => {
    remote.answers(json(429, {}, { 'retry-after': header }))
    expect(await errorOf(sendOneTimePassword(service, id))).toMatchObject({
      code: 'too-many',
      retryAfterSeconds: seconds,
    })
  })

  it('reads Retry-After as a date', async () => {
    remote.answers(json(429, {}, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }))
    const { retryAfterSeconds } = await errorOf(sendOneTimePassword(service, id))
    expect(retryAfterSeconds).toBeGreaterThan(85)
    expect(retryAfterSeconds).toBeLessThanOrEqual(90)
  })

  it('has its message put on one line of at most 300 printable characters', async () => {
    remote.answers(json(400, { message: ` two\r\n\u0000\u202elines ${'x'.repeat(1000)}` }))
    const { serviceMessage } = await errorOf(createUser(service, person))
    expect(serviceMessage).toMatch(/^two lines x{289}…$/)
    expect(serviceMessage).toHaveLength(300)
  })

  it('keeps its status when its body drips, breaks off or is huge', async () => {
    const hasty = createServiceClient({ baseUrl: remote.baseUrl, apiKey, timeoutMs: 600 })
    for (const body of [drip(409), breakOff(409), raw(409, Buffer.alloc(maxBodyBytes + 1, ' '))]) {
      remote.answers(body)
      expect(await errorOf(createUser(hasty, person))).toMatchObject({ code: 'conflict', status: 409 })
    }
  })
})

describe('an answer that is not the one promised', () => {
  it.each<[string, Answer]>([
    ['HTML', raw(200, '<html></html>', { 'content-type': 'text/html' })],
    ['empty', raw(200, '')],
    ['cut JSON', raw(200, '{"service_session_id":"a"')],
    ['204', raw(204, '')],
    ['null', json(200, null)],
    ['a list', json(200, [])],
    ['without a session', json(200, { user_uuid: id })],
    ['with an empty session', json(200, { service_session_id: '', user_uuid: id })],
    ['with a session that no header can carry', json(200, { service_session_id: 'a\nb', user_uuid: id })],
    ['without a user', json(200, { service_session_id: 'a' })],
    ['with a user that is no uuid', json(200, { service_session_id: 'a', user_uuid: '7' })],
    ['nested beyond reason', raw(200, '['.repeat(200_000))],
  ])('%s is nonsense to a sign-in', async (_, answer) => {
    remote.answers(answer)
    const error = await errorOf(loginWithWallet(service, { message: 'm', signature }))
    expect(error).toMatchObject({ code: 'nonsense', mayHaveTakenEffect: true })
    expect(remote.seen).toHaveLength(1)
  })

  it('names the field that is missing, and no value', async () => {
    remote.answers(json(201, { ...endpoint, signing_secret: 7 }))
    const error = await errorOf(createWebhookEndpoint(service, newEndpoint))
    expect(error.message).toBe('POST /merchant/webhook-endpoints: nonsense (201), at signing_secret')
  })

  it('is bounded in size, also when it is small on the wire', async () => {
    const huge = `[${' '.repeat(maxBodyBytes)}]`
    for (const answer of [raw(200, huge), raw(200, gzipSync(huge), { 'content-encoding': 'gzip' })]) {
      remote.answers(answer)
      expect(await errorOf(listWebhookEndpoints(service))).toMatchObject({ code: 'nonsense', status: 200 })
    }
    remote.answers(raw(200, `[${' '.repeat(maxBodyBytes - 2)}]`))
    expect(await listWebhookEndpoints(service)).toEqual([])
  })

  it.each([301, 302, 303, 307, 308])('is never followed when it redirects with %d', async (status) => {
    const elsewhere = await startLoopbackService()
    try {
      elsewhere.answers(json(200, { user_uuid: id }))
      remote.answers(raw(status, '', { location: `${elsewhere.baseUrl}/user` }))
      expect(await errorOf(getUser(service, { serviceSessionId }))).toMatchObject({
        code: 'nonsense',
        status,
      })
      expect(elsewhere.seen).toHaveLength(0)
    } finally {
      await elsewhere.stop()
    }
  })
})

describe('the time limit', () => {
  it.each<[string, Answer]>([
    ['never comes', hang],
    ['drips', drip(200)],
  ])('runs out when an answer %s, and the call is not repeated', async (_, answer) => {
    remote.answers(answer)
    const started = performance.now()
    const [read, write] = [
      await errorOf(listWebhookEndpoints(impatient)),
      await errorOf(rotateWebhookSecret(impatient, id)),
    ]
    expect(read).toMatchObject({ code: 'timed-out', status: null, mayHaveTakenEffect: false })
    expect(write).toMatchObject({ code: 'timed-out', status: null, mayHaveTakenEffect: true })
    expect(performance.now() - started).toBeLessThan(2_000)
    expect(remote.seen).toHaveLength(2)
  })

  it('does not run out while a body is left unread', async () => {
    remote.answers(drip(200))
    await deleteWebhookEndpoint(impatient, id)
    expect(remote.seen).toHaveLength(1)
  })
})

describe('repeating', () => {
  const broken: [string, Answer][] = [
    ['a reset', reset],
    ['an answer that breaks off', breakOff(200)],
    ['500', json(500, {})],
    ['503', raw(503, '')],
  ]

  it.each(broken)('makes up for %s when reading', async (_, answer) => {
    remote.answers(answer, json(200, [endpoint]))
    expect(await listWebhookEndpoints(service)).toHaveLength(1)
    expect(remote.seen).toHaveLength(2)
  })

  it.each(broken)('happens once after %s, not twice', async (_, answer) => {
    remote.answers(answer)
    await errorOf(listWebhookEndpoints(service))
    expect(remote.seen).toHaveLength(2)
  })

  it.each(broken)('never happens after %s to a POST or PATCH', async (_, answer) => {
    const writes = [
      () => loginWithWallet(service, { message: 'm', signature }),
      () => sendOneTimePassword(service, id),
      () => exchangeOneTimePassword(service, { userUuid: id, oneTimePassword }),
      () => createUser(service, person),
      () => createWebhookEndpoint(service, newEndpoint),
      () => updateWebhookEndpoint(service, id, { status: 'disabled' }),
      () => rotateWebhookSecret(service, id),
    ]
    for (const write of writes) {
      remote.answers(answer)
      // An answer that breaks off after a 2xx or 204 status may count as success when no body is read.
      await write().catch((error: unknown) => expect(error).toMatchObject({ mayHaveTakenEffect: true }))
      expect(remote.seen).toHaveLength(1)
    }
  })

  it.each([400, 401, 403, 404, 409, 429])('never happens after %d', async (status) => {
    remote.answers(json(status, {}))
    await errorOf(listWebhookEndpoints(service))
    expect(remote.seen).toHaveLength(1)
  })

  it('respects a service that asks to wait', async () => {
    remote.answers(json(503, {}, { 'retry-after': '30' }))
    expect(await errorOf(listWebhookEndpoints(service))).toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 30,
    })
    expect(remote.seen).toHaveLength(1)
  })

  it('finds a deletion done when the endpoint is gone at the second asking', async () => {
    remote.answers(reset, json(404, {}))
    await deleteWebhookEndpoint(service, id)
    expect(remote.seen.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
  })

  it('says not-found when the endpoint to delete is unknown at the first asking', async () => {
    remote.answers(json(404, {}))
    expect(await errorOf(deleteWebhookEndpoint(service, id))).toMatchObject({
      code: 'not-found',
      status: 404,
    })
  })

  it('gives the first error when no time is left to repeat', async () => {
    remote.answers(json(500, { error_id: 'first' }))
    expect(await errorOf(listWebhookEndpoints(impatient))).toMatchObject({
      code: 'unavailable',
      errorId: 'first',
    })
    expect(remote.seen).toHaveLength(1)
  })

  it.each([401, 403, 429])(
    'reports that a deletion may have happened when %d refuses the repeat, with the time to wait',
    async (status) => {
      remote.answers(json(503, {}), json(status, {}, { 'retry-after': '30' }))
      expect(await errorOf(deleteWebhookEndpoint(service, id))).toMatchObject({
        status,
        retryAfterSeconds: 30,
        mayHaveTakenEffect: true,
      })
    },
  )

  it('reports that a deletion may have happened when the repeat gets no connection', async () => {
    const vanishing = await startLoopbackService()
    const client = createServiceClient({ baseUrl: vanishing.baseUrl, apiKey })
    vanishing.answers((response) => {
      response.socket?.resetAndDestroy()
      void vanishing.stop()
    })
    const error = await errorOf(deleteWebhookEndpoint(client, id))
    expect(error).toMatchObject({ code: 'unreachable', mayHaveTakenEffect: true })
  })
})

it('knows that nothing happened when the connection was refused', async () => {
  const gone = await startLoopbackService()
  await gone.stop()
  for (const baseUrl of [gone.baseUrl, gone.baseUrl.replace('127.0.0.1', 'localhost')]) {
    const error = await errorOf(createWebhookEndpoint(createServiceClient({ baseUrl, apiKey }), newEndpoint))
    expect(error).toMatchObject({ code: 'unreachable', status: null, mayHaveTakenEffect: false })
  }
})

describe('secrets', () => {
  const secrets = [apiKey, serviceSessionId, signature, oneTimePassword]
  const everythingOf = (thing: unknown) =>
    [
      inspect(thing, { depth: null, showHidden: true, getters: true }),
      JSON.stringify(thing),
      String(thing),
      thing instanceof Error ? `${thing.stack} ${thing.message} ${inspect(thing.cause)}` : '',
    ].join('\n')
  const expectNoSecretIn = (thing: unknown) => {
    const text = everythingOf(thing)
    for (const secret of secrets) expect(text).not.toContain(secret)
  }

  it('are not in the client, however it is printed', () => expectNoSecretIn(service))

  it.each<[string, Answer]>([
    [
      'a service that echoes them',
      (response, { headers, body }) => {
        const echo = `${headers.authorization} ${headers['service-session-id']} ${body}`
        json(401, { message: echo, error_id: headers.authorization })(response, {
          headers,
          body,
          method: '',
          path: '',
        })
      },
    ],
    ['a redirect', raw(302, '', { location: 'http://elsewhere.example/' })],
    ['a reset', reset],
    ['a hang', hang],
    ['a broken body', breakOff(200)],
    ['nonsense', json(200, { service_session_id: 7 })],
    ['nobody listening', (response) => response.destroy()],
  ])('are not in the error after %s', async (_, answer) => {
    remote.answers(answer)
    for (const call of [
      () => getUser(impatient, { serviceSessionId }),
      () => loginWithWallet(impatient, { message: 'm', signature }),
      () => exchangeOneTimePassword(impatient, { userUuid: id, oneTimePassword }),
    ]) {
      const error = await errorOf(call())
      expectNoSecretIn(error)
      expect(error.cause).toBeUndefined()
    }
  })

  it('are cut out of the service’s message before it is shortened', async () => {
    remote.answers((response, request) => {
      json(400, { message: `${'y'.repeat(290)}${request.headers.authorization}` })(response, request)
    })
    const { serviceMessage } = await errorOf(createUser(service, person))
    expect(serviceMessage).toBe(`${'y'.repeat(290)}[removed]`)
  })
})

const person = { email: 'ana@demo.test', firstName: 'Ana', lastName: 'Lima', country: 'PT' }
