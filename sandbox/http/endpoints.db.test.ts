import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventTypes } from '../state/event-types.ts'
import { startTestSandbox } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())

const path = '/merchant/webhook-endpoints'
const valid = { url: 'https://merchant.example/hook', description: 'Ledger' }
const create = (changes: Record<string, unknown> = {}) =>
  sandbox.service('POST', path, { ...valid, ...changes })

describe('creating an endpoint (§4.2)', () => {
  it('answers uuid, status, url and the signing secret', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...valid,
      status: 'active',
      uuid: expect.any(String),
      signing_secret: expect.any(String),
    })
  })

  it.each(eventTypes)('takes %s as an event', async (type) => {
    expect((await create({ subscribed_events: [type] })).body.subscribed_events).toEqual([type])
  })

  it.each([
    ['an event in another spelling', { subscribed_events: ['fiatToCrypto', 'oldnameBankAccount'] }],
    ['an event in another case', { subscribed_events: ['kyc'] }],
    ['events that are no list', { subscribed_events: 'KYC' }],
    ['no url', { url: undefined }],
    ['plain http', { url: 'http://merchant.example/hook' }],
    ['another scheme', { url: 'ftp://merchant.example' }],
    ['a url that is none', { url: 'merchant' }],
    ['a host that only begins like loopback', { url: 'http://localhost.example/hook' }],
    ['a url with a password', { url: 'https://user:pass@merchant.example' }],
    ['no description', { description: undefined }],
    ['an empty description', { description: '' }],
    ['256 characters of description', { description: 'x'.repeat(256) }],
    ['a field of its own', { signing_secret: 'mine' }],
  ])('refuses %s with 400 and creates nothing', async (_case, changes) => {
    const before = (await sandbox.service('GET', path)).body.length
    expect((await create(changes)).status).toBe(400)
    expect((await sandbox.service('GET', path)).body).toHaveLength(before)
  })

  it('takes plain http for the hosts that SANDBOX_HTTP_HOSTS names, and for no others', async () => {
    const hosts = 'app:8080,host.docker.internal,10.1.2.3,[fd00::1],plain:80,Upper'
    const ci = await startTestSandbox({ SANDBOX_HTTP_HOSTS: hosts, SANDBOX_LOOPBACK_HTTP: 'off' })
    const create = (url: string) =>
      ci.service('POST', '/merchant/webhook-endpoints', { url, description: 'Test' })
    for (const url of [
      'http://app:8080/hook',
      'http://APP:8080/',
      'http://host.docker.internal/',
      'http://host.docker.internal:3000/',
      'http://10.1.2.3:81/',
      'http://[fd00::1]:82/',
      'http://plain/',
      'http://upper/',
    ]) {
      const { status, body } = await create(url)
      expect([url, status]).toEqual([url, 201])
      const patched = await ci.service('PATCH', `/merchant/webhook-endpoints/${body.uuid}`, { url })
      expect(patched.status).toBe(200)
    }
    const { body: allowed } = await create('https://a.example/')
    for (const url of [
      'http://app/',
      'http://app:8081/',
      'http://sub.app:8080/',
      'http://app.example:8080/',
      'http://plain:8080/',
      'http://10.1.2.30/',
      'http://localhost:3000/',
      'ftp://app:8080/',
    ]) {
      expect([url, (await create(url)).status]).toEqual([url, 400])
      const patched = await ci.service('PATCH', `/merchant/webhook-endpoints/${allowed.uuid}`, { url })
      expect([url, patched.status]).toEqual([url, 400])
    }
    await ci.stop()
  })

  it.each(['http://localhost:3000/x', 'http://127.0.0.1/x', 'http://[::1]:9/x'])('takes %s', async (url) => {
    expect((await create({ url })).status).toBe(201)
  })

  it('reads an empty list of events as one that is left out, as generated clients send it', async () => {
    const { body: every } = await create({ subscribed_events: [] })
    expect(every).not.toHaveProperty('subscribed_events')
    const { body: some } = await create({ subscribed_events: ['KYC'] })
    const change = (body: unknown) => sandbox.service('PATCH', `${path}/${some.uuid}`, body)
    expect((await change({ status: 'disabled', subscribed_events: [] })).body).toMatchObject({
      status: 'disabled',
      subscribed_events: ['KYC'],
    })
    expect((await change({ subscribed_events: ['KYB'] })).body.subscribed_events).toEqual(['KYB'])
    expect((await change({ status: 'active' })).status).toBe(200)
  })

  it.each([
    'ü'.repeat(255),
    '👩'.repeat(255),
    'Ledger\nof the shop',
    ' Ledger\t',
    ' ',
    `${'x'.repeat(254)}\r`,
    '\u0085\u202e',
  ])('takes the description %j and answers it as it is', async (description) => {
    const { status, body } = await create({ description })
    expect([status, body.description]).toEqual([201, description])
    expect((await sandbox.service('GET', `${path}/${body.uuid}`)).body.description).toBe(description)
    expect((await sandbox.service('DELETE', `${path}/${body.uuid}`)).status).toBe(204)
  })

  it.each(['a\0b', '\ud800', '\ufffd', `${'x'.repeat(255)} `, '👩'.repeat(256)])(
    'refuses the description %j',
    async (description) => {
      expect((await create({ description })).status).toBe(400)
    },
  )
})

describe('an endpoint', () => {
  it('is read and listed without its secret, filtered by status', async () => {
    const { body } = await create({ subscribed_events: ['KYC'] })
    const one = await sandbox.service('GET', `${path}/${body.uuid}`)
    expect(one.body).toEqual({ ...valid, uuid: body.uuid, status: 'active', subscribed_events: ['KYC'] })
    const listed = await sandbox.service('GET', `${path}?status=active`)
    expect(listed.body).toContainEqual(one.body)
    expect((await sandbox.service('GET', `${path}?status=disabled`)).body).toEqual([])
    expect(JSON.stringify(listed.body)).not.toContain('secret')
  })

  it('changes url, status and events, each alone, and nothing else', async () => {
    const { body } = await create()
    const change = (changes: unknown) => sandbox.service('PATCH', `${path}/${body.uuid}`, changes)
    expect((await change({ url: 'https://other.example' })).body).toMatchObject({
      url: 'https://other.example',
      status: 'active',
    })
    expect((await change({ status: 'disabled' })).body).toMatchObject({
      url: 'https://other.example',
      status: 'disabled',
    })
    expect((await change({ subscribed_events: ['KYC', 'KYB'] })).body).toMatchObject({
      subscribed_events: ['KYC', 'KYB'],
    })
    for (const refused of [
      { description: 'Other' },
      { status: 'auto_disabled' },
      { status: 'paused' },
      { url: 'http://merchant.example' },
      { subscribed_events: ['nothing'] },
      { signing_secret: 'mine' },
    ]) {
      expect((await change(refused)).status).toBe(400)
    }
    expect((await sandbox.service('GET', `${path}/${body.uuid}`)).body).toEqual({
      uuid: body.uuid,
      url: 'https://other.example',
      description: 'Ledger',
      status: 'disabled',
      subscribed_events: ['KYC', 'KYB'],
    })
  })

  it('gets another secret by rotation', async () => {
    const { body } = await create()
    const rotated = await sandbox.service('PATCH', `${path}/${body.uuid}/secret`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.signing_secret).not.toBe(body.signing_secret)
  })

  it('is gone after its removal', async () => {
    const { body } = await create()
    expect((await sandbox.service('DELETE', `${path}/${body.uuid}`)).status).toBe(204)
    for (const [method, suffix] of [
      ['GET', ''],
      ['PATCH', '/secret'],
      ['DELETE', ''],
    ] as const) {
      expect((await sandbox.service(method, `${path}/${body.uuid}${suffix}`)).status).toBe(404)
    }
    expect((await sandbox.service('PATCH', `${path}/${body.uuid}`, { status: 'active' })).status).toBe(404)
  })
})
