import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, type LoopbackService, raw, startLoopbackService } from '../../test/loopback-service.ts'
import { createServiceClient, type ServiceClient } from './client.ts'
import {
  createUser,
  exchangeOneTimePassword,
  getUser,
  listSupportedCountries,
  loginWithWallet,
  sendOneTimePassword,
} from './operations.ts'
import { explainUnauthorized } from './service-client.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts'

const userUuid = '0a4f4b6e-6f0e-4a43-9d8e-0c5d3a1b2f10'
const other = '7b1d9c3a-2e5f-4c68-8a90-b1c2d3e4f506'
const id = '5d1f0a3e-8c44-4b7e-9a57-0d6f6b1c2e3f'

let remote: LoopbackService
let service: ServiceClient

beforeAll(async () => {
  remote = await startLoopbackService()
  service = createServiceClient({ baseUrl: remote.baseUrl, apiKey: 'key' })
})
afterAll(() => remote.stop())

/** The test made this one request; its body is parsed. */
function asked() {
  expect(remote.seen).toHaveLength(1)
  const [request] = remote.seen
  const body: unknown = request?.body ? JSON.parse(request.body) : undefined
  return { call: `${request?.method} ${request?.path.replace('/onboarding', '')}`, body }
}

describe('signing in (§4.1)', () => {
  const wireSession = { service_session_id: 'opaque', user_uuid: userUuid, expires_in: 60 }

  it('by wallet sends the message unchanged and answers the session', async () => {
    remote.answers(json(200, wireSession))
    const message = 'host wants you to sign in\n\n“ünïcode”\r\n '
    expect(await loginWithWallet(service, { message, signature: '0x1' })).toEqual({
      serviceSessionId: 'opaque',
      userUuid,
    })
    expect(asked()).toEqual({ call: 'POST /auth/login', body: { message, signature: '0x1' } })
  })

  it('has a one-time password sent and takes 204 for done', async () => {
    remote.answers(raw(204, ''))
    expect(await sendOneTimePassword(service, userUuid)).toBeUndefined()
    expect(asked()).toEqual({ call: 'POST /auth/login', body: { user_uuid: userUuid } })
  })

  it.each([
    ['a session', json(200, wireSession)],
    ['a page', raw(200, '<html></html>')],
  ])('does not take %s for a one-time password sent', async (_, answer) => {
    remote.answers(answer)
    await expect(sendOneTimePassword(service, userUuid)).rejects.toMatchObject({
      code: 'nonsense',
      status: 200,
    })
  })

  it('exchanges the code for a session, at the path with its slash', async () => {
    remote.answers(json(200, wireSession))
    expect(await exchangeOneTimePassword(service, { userUuid, oneTimePassword: '012345' })).toEqual({
      serviceSessionId: 'opaque',
      userUuid,
    })
    expect(asked()).toEqual({
      call: 'POST /auth/otp/',
      body: { user_uuid: userUuid, one_time_password: '012345' },
    })
  })
})

describe('users (§4.3)', () => {
  const person = { email: 'ana@demo.test', firstName: 'Ana', lastName: 'Lima', country: 'PT' }
  const wirePerson = { email: 'ana@demo.test', first_name: 'Ana', last_name: 'Lima', country: 'PT' }

  it('are created with what is given and nothing more', async () => {
    remote.answers(json(201, { user_uuid: userUuid, status: 'KYC_NEEDED', message: 'hello' }))
    expect(await createUser(service, person)).toEqual({ userUuid, status: 'KYC_NEEDED' })
    expect(asked()).toEqual({ call: 'POST /user', body: wirePerson })

    remote.answers(json(200, { uuid: userUuid, status: 3 }))
    const all = { ...person, targetAddress: '0xA' }
    expect(await createUser(service, all)).toEqual({ userUuid, status: null })
    expect(asked().body).toEqual({
      ...wirePerson,
      target_address: '0xA',
    })
  })

  it('are read in full, under either name of their id and either place of their country', async () => {
    const full = { ...wirePerson, target_address: '0xA', status: 'FULL_USER', date_of_birth: '1990-01-02' }
    const { country, ...abroad } = full
    const linked = { linked_corporates_uuid: [id.toUpperCase(), 'none', 7] }
    const expected = {
      ...person,
      userUuid,
      targetAddress: '0xA',
      status: 'FULL_USER',
      dateOfBirth: '1990-01-02',
      linkedCorporates: [id],
    }
    const home = { country, city: 'Porto', post_code: '4000-322', address_line_1: 'Rua das Flores 1' }
    for (const [answer, address] of [
      [{ user_uuid: userUuid, ...full, ...linked }, []],
      [{ uuid: userUuid, ...full, ...linked, address: { city: 'Porto' } }, ['Porto']],
      [{ uuid: userUuid, ...abroad, ...linked, address: home }, ['Rua das Flores 1', '4000-322 Porto']],
    ] as const) {
      remote.answers(json(200, answer))
      expect(await getUser(service, { userUuid })).toEqual({ ...expected, address })
      expect(asked()).toEqual({ call: 'GET /user', body: undefined })
    }
  })

  it.each([
    {},
    { email: null, target_address: null, address: null, status: null },
    {
      email: 7,
      target_address: {},
      first_name: [],
      address: 'Porto',
      country: '',
      linked_corporates_uuid: 'x',
    },
  ])('are read with what %j gives, for only the id is needed', async (fields) => {
    remote.answers(json(200, { user_uuid: userUuid, ...fields }))
    expect(await getUser(service, { serviceSessionId: 's' })).toEqual({
      userUuid,
      email: null,
      targetAddress: null,
      firstName: null,
      lastName: null,
      country: null,
      status: null,
      dateOfBirth: null,
      address: [],
      linkedCorporates: [],
    })
  })

  it('are refused when the answer is about another user', async () => {
    remote.answers(json(200, { user_uuid: other }))
    await expect(getUser(service, { userUuid })).rejects.toMatchObject({ code: 'nonsense' })
    remote.answers(json(200, { user_uuid: userUuid.toUpperCase() }))
    expect((await getUser(service, { userUuid })).userUuid).toBe(userUuid.toUpperCase())
  })

  it.each([{}, { user_uuid: 'x' }, { user_uuid: null }])(
    'without an id (%j) are nonsense',
    async (answer) => {
      remote.answers(json(200, answer))
      await expect(createUser(service, person)).rejects.toMatchObject({ code: 'nonsense' })
      await expect(getUser(service, { userUuid })).rejects.toMatchObject({ code: 'nonsense' })
    },
  )
})

describe('webhook endpoints (§4.2)', () => {
  const wire = {
    uuid: id,
    url: 'https://merchant.example/hook',
    description: 'Production',
    status: 'active',
    subscribed_events: ['KYC', 'fiatToCrypto'],
    created_at: 'whenever',
    signing_secret: 'whsec',
  }
  const endpoint = {
    uuid: id,
    url: 'https://merchant.example/hook',
    description: 'Production',
    status: 'active',
    subscribedEvents: ['KYC', 'fiatToCrypto'],
  }
  const path = `/merchant/webhook-endpoints/${id}`

  it('are created and show their secret', async () => {
    remote.answers(json(201, wire))
    const { url, description, subscribedEvents } = endpoint
    expect(await createWebhookEndpoint(service, { url, description, subscribedEvents })).toEqual({
      ...endpoint,
      signingSecret: 'whsec',
    })
    expect(asked()).toEqual({
      call: 'POST /merchant/webhook-endpoints',
      body: { url, description, subscribed_events: subscribedEvents },
    })
  })

  it('are created for every event when none is named, with no more answered than promised', async () => {
    remote.answers(json(201, { uuid: id, status: 'active', url: wire.url, signing_secret: 'whsec' }))
    const created = await createWebhookEndpoint(service, { url: wire.url, description: 'd' })
    expect(created).toMatchObject({ description: null, subscribedEvents: null, signingSecret: 'whsec' })
    expect(asked().body).toEqual({ url: wire.url, description: 'd' })
  })

  it.each(['', ' ', '\n\t'])('have no description when it is %j, which nobody could see', async (blank) => {
    remote.answers(json(201, { ...wire, description: blank }))
    const created = await createWebhookEndpoint(service, { url: wire.url, description: 'd' })
    expect(created.description).toBeNull()
  })

  it.each([' Ledger ', 'Ledger\nof the shop'])('keep the description %j as it is', async (description) => {
    remote.answers(json(201, { ...wire, description }))
    const created = await createWebhookEndpoint(service, { url: wire.url, description: 'd' })
    expect(created.description).toBe(description)
  })

  it.each(['uuid', 'status', 'url', 'signing_secret'])(
    'are nonsense when created without %s',
    async (field) => {
      remote.answers(json(201, { ...wire, [field]: undefined }))
      const call = createWebhookEndpoint(service, { url: wire.url, description: 'd' })
      await expect(call).rejects.toMatchObject({
        code: 'nonsense',
        message: expect.stringContaining(`at ${field}`),
      })
    },
  )

  it.each([[[wire]], [{ data: [wire] }], [{ total: 1, endpoints: [wire], next: null }]])(
    'are listed from %j, without their secrets',
    async (answer) => {
      remote.answers(json(200, answer))
      expect(await listWebhookEndpoints(service)).toEqual([endpoint])
      expect(asked().call).toBe('GET /merchant/webhook-endpoints')
    },
  )

  it.each([[{}], [{ a: [], b: [] }], ['none'], [[{ ...wire, uuid: 'x' }]], [null]])(
    'are nonsense when listed from %j',
    async (answer) => {
      remote.answers(json(200, answer))
      await expect(listWebhookEndpoints(service)).rejects.toMatchObject({ code: 'nonsense' })
    },
  )

  it('are listed by state', async () => {
    remote.answers(json(200, []))
    expect(await listWebhookEndpoints(service, { status: 'auto_disabled' })).toEqual([])
    expect(asked().call).toBe('GET /merchant/webhook-endpoints?status=auto_disabled')
  })

  it('may be in states and subscribed to events that nobody knows yet', async () => {
    remote.answers(json(200, { ...wire, status: 'paused', subscribed_events: ['newEvent'] }))
    expect(await getWebhookEndpoint(service, id)).toEqual({
      ...endpoint,
      status: 'paused',
      subscribedEvents: ['newEvent'],
    })
    expect(asked().call).toBe(`GET ${path}`)
  })

  it('are changed in what is given', async () => {
    remote.answers(json(200, wire))
    expect(await updateWebhookEndpoint(service, id, { status: 'disabled' })).toEqual(endpoint)
    expect(asked()).toEqual({ call: `PATCH ${path}`, body: { status: 'disabled' } })
    remote.answers(json(200, wire))
    await updateWebhookEndpoint(service, id, { url: wire.url, subscribedEvents: [] })
    expect(asked().body).toEqual({ url: wire.url, subscribed_events: [] })
  })

  it.each([
    ['204', raw(204, '')],
    ['nothing', raw(200, '')],
    ['a word', raw(200, 'OK')],
    ['a part', json(200, { uuid: id, status: 'disabled' })],
    ['null', json(200, null)],
  ])('are changed although the answer is %s', async (_, answer) => {
    remote.answers(answer)
    expect(await updateWebhookEndpoint(service, id, { status: 'disabled' })).toBeNull()
  })

  it('get a new secret, asked for without a body', async () => {
    remote.answers(json(200, { ...wire, signing_secret: 'new' }))
    expect(await rotateWebhookSecret(service, id)).toEqual({ signingSecret: 'new' })
    expect(asked()).toEqual({ call: `PATCH ${path}/secret`, body: undefined })
    expect(remote.seen[0]?.headers).not.toHaveProperty('content-type')
  })

  it.each([{}, { signing_secret: '' }, { signing_secret: null }])(
    'with %j for a new secret are nonsense',
    async (a) => {
      remote.answers(json(200, a))
      await expect(rotateWebhookSecret(service, id)).rejects.toMatchObject({
        code: 'nonsense',
        mayHaveTakenEffect: true,
      })
    },
  )

  it.each([raw(204, ''), raw(200, 'gone'), json(200, wire), raw(202, '')])(
    'are deleted, whatever the body says',
    async (answer) => {
      remote.answers(answer)
      expect(await deleteWebhookEndpoint(service, id)).toBeUndefined()
      expect(asked()).toEqual({ call: `DELETE ${path}`, body: undefined })
    },
  )
})

describe('supported countries (§4.3)', () => {
  it('are read from the shapes seen in public', async () => {
    const rows = [
      {
        country_code: 'PT',
        country_name: 'Portugal',
        is_individual_supported: true,
        is_corporate_supported: false,
      },
      { code: 'de', name: 'Germany', is_individual_supported: false },
      { country_code: 'FR', is_individual_supported: 'perhaps' },
      'es',
    ]
    remote.answers(json(200, rows))
    expect(await listSupportedCountries(service)).toEqual([
      { code: 'PT', name: 'Portugal', individuals: true },
      { code: 'DE', name: 'Germany', individuals: false },
      { code: 'FR', name: null, individuals: null },
      { code: 'ES', name: null, individuals: null },
    ])
    expect(asked().call).toBe('GET /supported/countries')
  })

  it('without a code are nonsense', async () => {
    remote.answers(json(200, [{ name: 'Portugal' }]))
    await expect(listSupportedCountries(service)).rejects.toMatchObject({ code: 'nonsense' })
  })
})

describe('a 401 to a user-scoped call', () => {
  it('is the key’s fault when the supported countries are refused too', async () => {
    remote.answers(json(401, {}))
    expect(await explainUnauthorized(service)).toBe('key-refused')
    expect(asked().call).toBe('GET /supported/countries')
  })

  it.each([json(200, []), raw(200, '<html></html>'), json(404, {}), json(400, {})])(
    'is the session’s fault when the key gets past',
    async (answer) => {
      remote.answers(answer)
      expect(await explainUnauthorized(service)).toBe('session-ended')
    },
  )

  it.each([
    [403, 'forbidden'],
    [429, 'too-many'],
    [500, 'unavailable'],
    [302, 'nonsense'],
  ])('stays unexplained when the question is answered %d', async (status, code) => {
    remote.answers(json(status, {}))
    await expect(explainUnauthorized(service)).rejects.toMatchObject({ code })
  })
})
