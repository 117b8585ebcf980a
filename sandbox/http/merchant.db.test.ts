import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, startTestSandbox } from '../test/running.ts'

type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>
let sandbox: TestSandbox
let strict: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
  strict = await startTestSandbox({ SANDBOX_MERCHANT_CONFIGURATION: 'off', SANDBOX_LOOPBACK_HTTP: 'off' })
})
afterAll(() => Promise.all([sandbox.stop(), strict.stop()]))

describe('GET /merchant/* (§4.3)', () => {
  it('answers the configuration with the API key alone, unless that is switched off', async () => {
    const { status, body } = await sandbox.service('GET', '/merchant/configuration')
    expect(status).toBe(200)
    expect(body).toMatchObject({ environment: 'sandbox', chains: expect.arrayContaining(['polygon']) })
    expect((await strict.service('GET', '/merchant/configuration')).status).toBe(404)
    expect((await strict.call('GET', '/openapi.json')).body.paths).not.toHaveProperty([
      '/merchant/configuration',
    ])
  })

  it('is 404 on any other path for a good key, 401 for none', async () => {
    expect((await sandbox.service('GET', '/merchant/fees')).status).toBe(404)
    expect((await sandbox.call('GET', '/onboarding/merchant/fees')).status).toBe(401)
    expect((await sandbox.call('GET', '/onboarding/merchant/configuration')).status).toBe(401)
  })

  it.each([
    ['PUT', '/user'],
    ['DELETE', '/user'],
    ['GET', '/auth/login'],
    ['PATCH', '/user/kyc/applicant/share-token'],
    ['PUT', '/merchant/webhook-endpoints'],
    ['PUT', `/merchant/webhook-endpoints/${crypto.randomUUID()}`],
    ['OPTIONS', '/supported/countries'],
  ])('is 404 for %s %s, which does not exist, whatever the credentials', async (method, path) => {
    for (const headers of [
      {},
      { Authorization: apiKey },
      { Authorization: apiKey, 'service-session-id': 'x' },
    ])
      expect((await sandbox.call(method, `/onboarding${path}`, undefined, headers)).status).toBe(404)
  })
})

describe('a webhook url on a loopback host', () => {
  const endpoint = { url: 'http://127.0.0.1:3000/hook', description: 'Ledger' }

  it('must be HTTPS too where plain HTTP is switched off (§8)', async () => {
    expect((await strict.service('POST', '/merchant/webhook-endpoints', endpoint)).status).toBe(400)
    const secure = { ...endpoint, url: 'https://127.0.0.1:3000/hook' }
    const { status, body } = await strict.service('POST', '/merchant/webhook-endpoints', secure)
    expect(status).toBe(201)
    const path = `/merchant/webhook-endpoints/${body.uuid}`
    expect((await strict.service('PATCH', path, { url: endpoint.url })).status).toBe(400)
    expect((await strict.service('GET', path)).body.url).toBe(secure.url)
  })
})

describe('POST /user/kyc/applicant/share-token (§5.1)', () => {
  const share = (headers: Record<string, string>, body?: unknown) =>
    sandbox.service('POST', '/user/kyc/applicant/share-token', body, headers)

  it('takes the session or user-uuid, with or without a body', async () => {
    const email = `${crypto.randomUUID()}@demo.test`
    const user = await sandbox.createUser({ email })
    await sandbox.service('POST', '/auth/login', { user_uuid: user })
    const one_time_password = await sandbox.lastCode(email)
    const { body: session } = await sandbox.service('POST', '/auth/otp/', {
      user_uuid: user,
      one_time_password,
    })
    const first = await share({ 'user-uuid': user })
    const second = await share({ 'service-session-id': session.service_session_id }, { any: 'thing' })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body.share_token).not.toBe(second.body.share_token)
  })

  it('refuses neither of the two, a made-up session and an unknown user', async () => {
    expect((await share({})).status).toBe(401)
    expect((await share({ 'service-session-id': 'made-up' })).status).toBe(401)
    expect((await share({ 'user-uuid': crypto.randomUUID() })).status).toBe(404)
    expect((await share({ 'user-uuid': await sandbox.createUser() }, '{')).status).toBe(400)
  })

  it.each(['', ' ', 'null', '[]', '1', '{"any": "thing"}'])('looks at no body: %j', async (body) => {
    expect((await share({ 'user-uuid': await sandbox.createUser() }, body)).status).toBe(200)
  })
})
