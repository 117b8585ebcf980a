import http from 'node:http'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requireOwnHost } from '../http/credentials.ts'
import { Refusal } from '../service/refusal.ts'
import { apiKey, startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())

/** The request sets any Host and Origin, because `fetch` would set its own. */
function request(
  method: string,
  path: string,
  headers: Record<string, string>,
  port = sandbox.port,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ port, host: '127.0.0.1', method, path, headers }, (incoming) => {
      incoming.resume()
      resolve(incoming.statusCode ?? 0)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

describe('the console and the control interface', () => {
  it.each([
    '/',
    '/mailbox',
    '/users',
    '/endpoints',
    '/docs',
    '/openapi.json',
    '/openapi-controls-3.0.json',
    '/_sandbox/mailbox',
    '/_sandbox/endpoints',
  ])('answer %s to their own name only', async (path) => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      expect(await request('GET', path, { Host: `${name}:${sandbox.port}` })).toBe(200)
    }
    for (const name of [`evil.example:${sandbox.port}`, 'localhost', `localhost:${sandbox.port + 1}`]) {
      expect(await request('GET', path, { Host: name })).toBe(421)
    }
  })

  it('answer on port 80 to a name without the port too', async () => {
    const app = new Hono().use(requireOwnHost(80, [])).all('/', (context) => context.text('answered'))
    app.onError((error, context) => context.json({}, error instanceof Refusal ? error.status : 500))
    const ask = async (headers: Record<string, string>) =>
      (await app.request('/', { method: 'POST', headers })).status
    for (const name of ['localhost', '127.0.0.1', '[::1]'])
      for (const host of [name, `${name}:80`])
        expect(await ask({ host, origin: `http://${host}` }), host).toBe(200)
    expect(await ask({ host: 'localhost', origin: 'http://evil.example' })).toBe(403)
    expect(await ask({ host: 'evil.example' })).toBe(421)
  })

  it('answer to further names that were configured', async () => {
    const named = await startTestSandbox({ SANDBOX_CONTROL_HOSTS: 'Sandbox.test:4010,other.test' })
    const ask = (Host: string, more = {}) => request('POST', '/_sandbox/reset', { Host, ...more }, named.port)
    expect(await ask('sandbox.test:4010')).toBe(204)
    expect(await ask('other.test', { Origin: 'https://other.test' })).toBe(204)
    expect(await ask(`localhost:${named.port}`)).toBe(204)
    expect(await ask('sandbox.test')).toBe(421)
    expect(await ask('other.test', { Origin: 'https://sandbox.test' })).toBe(403)
    await named.stop()
  })

  it.each(['', '/', '/_sandbox', '/docs', '/users', '/openapi.json'])(
    'answer where the base address has the path “%s”, and so does the service',
    async (path) => {
      const other = await startTestSandbox({ SANDBOX_PUBLIC_URL: `https://sandbox.example${path}` })
      const base = path.replace(/\/$/, '')
      const Host = `localhost:${other.port}`
      const ask = (method: string, to: string, more = {}) =>
        request(method, to, { Host, ...more }, other.port)
      const own = ['/', '/mailbox', '/users/', '/endpoints', '/docs', '/docs/', '/console.css']
      const documents = ['/openapi.json', '/openapi-3.0.json', '/openapi-controls.json']
      for (const address of [...own, ...documents, '/_sandbox/scenarios', '/_sandbox/users/'])
        expect(await ask('GET', address), address).toBe(200)
      expect(await ask('HEAD', '/mailbox')).toBe(200)
      expect(await ask('POST', '/_sandbox/reset')).toBe(204)
      expect(await ask('GET', '/_sandbox/users', { Authorization: 'nobody' })).toBe(401)
      expect(await ask('GET', '/mailbox', { Host: 'sandbox.example' })).toBe(421)
      expect(await ask('POST', '/reset', { Origin: 'https://evil.example' })).toBe(403)

      const Authorization = apiKey
      const outside = { Authorization, Host: 'sandbox.example' }
      expect(await ask('GET', `${base}/supported/countries`, outside)).toBe(200)
      expect(await ask('GET', `${base}/merchant/webhook-endpoints`, outside)).toBe(200)
      expect(await ask('GET', `${base}/supported/countries`)).toBe(401)
      expect(await ask('PATCH', `${base}/auth/login`, outside)).toBe(404)
      expect(await ask('POST', `${base}/nothing`, outside)).toBe(404)
      expect(await ask('POST', `${base}/nothing`)).toBe(401)
      const document = await (await fetch(`${other.origin}/openapi.json`)).json()
      expect(document.servers[0].url).toBe(other.publicUrl)
      expect(Object.keys(document.paths)).toContain('/auth/login')
      await other.stop()
    },
  )

  it('refuse what another site sends', async () => {
    const host = `localhost:${sandbox.port}`
    const post = (headers: Record<string, string>) =>
      request('POST', '/_sandbox/reset', { Host: host, ...headers })
    expect(await post({ Origin: 'https://evil.example' })).toBe(403)
    expect(await post({ Origin: 'null' })).toBe(403)
    expect(await post({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
    expect(await post({ Origin: `http://${host}` })).toBe(204)
  })

  it('forget everything on reset', async () => {
    const email = 'reset@demo.test'
    const user_uuid = await sandbox.createUser({ email })
    await sandbox.createEndpoint('http://127.0.0.1:9/hook')
    await sandbox.service('POST', '/auth/login', { user_uuid })
    expect((await sandbox.control('GET', `/mailbox?email=${email}`)).body).toMatchObject([
      { email, user_uuid },
    ])
    expect((await sandbox.control('POST', '/reset')).status).toBe(204)
    for (const list of ['mailbox', 'users', 'endpoints', 'deliveries']) {
      expect((await sandbox.control('GET', `/${list}`)).body).toEqual([])
    }
  })

  it.each(['ana+work@demo.test', '+34600@demo.test', '"two words"@demo.test'])(
    'find the mails to %s, encoded or as it is',
    async (email) => {
      const user_uuid = await sandbox.createUser({ email })
      await sandbox.service('POST', '/auth/login', { user_uuid })
      for (const written of [encodeURIComponent(email), email.replaceAll(' ', '%20')])
        expect((await sandbox.control('GET', `/mailbox?email=${written}`)).body, written).toMatchObject([
          { email },
        ])
    },
  )

  it('write every time of an attempt as all others', async () => {
    await sandbox.control('POST', '/reset')
    await sandbox.createUser()
    await sandbox.createEndpoint('http://127.0.0.1:9/hook')
    await sandbox.control('POST', '/scenarios', { name: 'kyc', speed: 0 })
    const attempts = await until(async () => {
      const { body } = await sandbox.control('GET', '/deliveries')
      return body.at(-1)?.attempts.length > 0 && body.at(-1).attempts
    }, 'an attempt')
    expect(attempts[0].started_at).toBe(new Date(attempts[0].started_at).toISOString())
    await sandbox.control('POST', '/reset')
  })

  it('show the signing secret of an endpoint to a test', async () => {
    const { uuid, secret } = await sandbox.createEndpoint('https://merchant.example/hook')
    const { body } = await sandbox.control('GET', '/endpoints')
    expect(body).toContainEqual(expect.objectContaining({ uuid, signing_secret: secret }))
  })

  it('leave out the events of an endpoint without a filter, as the service does', async () => {
    const { uuid: every } = await sandbox.createEndpoint('https://merchant.example/hook')
    const { uuid: some } = await sandbox.createEndpoint('https://merchant.example/hook', {
      subscribed_events: ['KYC'],
    })
    const { body } = await sandbox.control('GET', '/endpoints')
    const shown = (uuid: string) => body.find((endpoint: { uuid: string }) => endpoint.uuid === uuid)
    expect(shown(every)).not.toHaveProperty('subscribed_events')
    expect(shown(some).subscribed_events).toEqual(['KYC'])
  })

  it('switch off a fault by its id in capitals', async () => {
    const { body } = await sandbox.control('POST', '/faults', { kind: 'invalid_json' })
    const { status } = await sandbox.control('DELETE', `/faults?id=${body.id.toUpperCase()}`)
    expect(status).toBe(204)
    expect((await sandbox.control('GET', '/faults')).body).toEqual([])
  })

  it('show an event with the uuid as it was sent', async () => {
    await sandbox.createEndpoint('http://127.0.0.1:9/hook')
    const uuid = crypto.randomUUID().toUpperCase()
    await sandbox.control('POST', '/events', { type: 'KYC', subType: 'x', uuid, data: {} })
    const { body } = await sandbox.control('GET', '/deliveries')
    expect(body[0].envelope.uuid).toBe(uuid)
    await sandbox.control('POST', '/reset')
  })

  it('make up a past without sending it, and have people as verified as it ends', async () => {
    const user = await sandbox.createUser({ first_name: 'Ben', last_name: 'Okafor', country: 'GB' })
    const { status, body } = await sandbox.control('POST', '/history', {
      user_uuids: [user],
      transactions: 40,
      days: 2,
      seed: 3,
    })
    expect(status).toBe(200)
    const lines = String(body)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(100)
    expect(lines[0]).toMatchObject({ at: expect.stringMatching(/Z$/), envelope: { uuid: user } })
    expect((await sandbox.control('GET', '/deliveries')).body).toEqual([])
    expect((await sandbox.control('GET', '/users')).body).toContainEqual(
      expect.objectContaining({ uuid: user, status: 'FULL_USER' }),
    )
    const unknown = { user_uuids: [crypto.randomUUID()] }
    expect((await sandbox.control('POST', '/history', unknown)).status).toBe(404)
  })

  it('switch an endpoint off as the service does, once', async () => {
    const { uuid } = await sandbox.createEndpoint('http://localhost:9/hook')
    const switchOff = async (id: string) =>
      (await sandbox.control('POST', `/endpoints/${id}/auto-disable`)).status
    expect(await switchOff(uuid)).toBe(204)
    const shown = await sandbox.service('GET', `/merchant/webhook-endpoints/${uuid}`)
    expect(shown.body.status).toBe('auto_disabled')
    expect([await switchOff(uuid), await switchOff(crypto.randomUUID())]).toEqual([409, 404])
  })

  it('knock at an endpoint with a secret that is not its own', async () => {
    const receiver = await startTestReceiver((_, count) => (count < 3 ? 401 : 503))
    const { uuid, secret } = await sandbox.createEndpoint(receiver.url)
    const { body } = await sandbox.control('POST', `/endpoints/${uuid}/knock`, { times: 3 })
    expect(body).toEqual({ statuses: [401, 401, 503] })
    for (const { headers } of receiver.received) {
      expect(headers.authorization).toMatch(/^API-Key \S{43}$/)
      expect(headers.authorization).not.toContain(secret)
    }
    await receiver.stop()
    const { body: nobody } = await sandbox.control('POST', `/endpoints/${uuid}/knock`, { times: 1 })
    expect(nobody).toEqual({ statuses: [null] })
    expect((await sandbox.control('GET', '/deliveries')).body).toEqual([])
  })

  it.each([
    ['a type that does not exist', { type: 'other', subType: 'x', uuid: crypto.randomUUID(), data: {} }],
    ['a field too many', { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {}, id: 1 }],
    ['data that is no object', { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: 1 }],
    [
      'a depth that nothing could show',
      `{"type":"KYC","subType":"x","uuid":"${crypto.randomUUID()}","data":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
    ],
  ])('refuse an event with %s', async (_case, envelope) => {
    expect((await sandbox.control('POST', '/events', envelope)).status).toBe(400)
  })

  it('take an event with a list of 130,000 numbers', async () => {
    const data = { list: Array(130_000).fill(1) }
    const envelope = { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data }
    expect((await sandbox.control('POST', '/events', envelope)).status).toBe(202)
    await sandbox.control('POST', '/reset')
  })

  it('refuse a scenario that does not exist', async () => {
    expect((await sandbox.control('POST', '/scenarios', { name: 'none' })).status).toBe(404)
  })
})

describe('the console', () => {
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${sandbox.origin}${path}`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })

  it('adds a user with a key pair that is shown once', async () => {
    const form = {
      email: 'key@demo.test',
      first_name: '<b>Kim</b>',
      last_name: 'Lee',
      country: 'NL',
      key_pair: 'yes',
    }
    const added = await post('/users', form)
    expect(added.status).toBe(201)
    const page = await added.text()
    expect(page).toMatch(/0x[0-9a-f]{64}/)
    expect(page).not.toContain('<b>Kim</b>')
    expect(await (await fetch(`${sandbox.origin}/users`)).text()).not.toMatch(/0x[0-9a-f]{64}/)
  })

  it('keeps what was typed beside what is wrong with it', async () => {
    const refused = await post('/users', {
      email: 'no address',
      first_name: 'Kim',
      last_name: '',
      country: 'NL',
    })
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('value="no address"')
    expect(page).toContain('id="email-error"')
    expect(page).toContain('id="last_name-error"')
  })

  it('plays a scenario and says which transaction it is', async () => {
    const user_uuid = await sandbox.createUser()
    const played = await post('/scenarios', { name: 'crypto-to-fiat', user_uuid, speed: '20' })
    expect(played.status).toBe(303)
    const page = await (await fetch(new URL(played.headers.get('location') ?? '', sandbox.origin))).text()
    expect(page).toMatch(/Play(ing|ed)\.<\/b> Stablecoin to fiat: success/)
  })

  it('loads nothing from elsewhere', async () => {
    const answer = await fetch(sandbox.origin)
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await answer.text()).not.toMatch(/(src|href)="(https?:)?\/\//)
  })
})
