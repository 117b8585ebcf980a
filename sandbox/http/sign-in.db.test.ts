import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestReceiver, startTestSandbox, until } from '../test/running.ts'

type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>
let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ SANDBOX_CODES_PER_WINDOW: '4', SANDBOX_CODE_GUESSES: '3' })
})
afterAll(() => sandbox.stop())

const wallet = privateKeyToAccount(generatePrivateKey())

function compose(changes: Partial<Parameters<typeof createSiweMessage>[0]> = {}) {
  return createSiweMessage({
    domain: new URL(sandbox.publicUrl).host,
    uri: `${sandbox.publicUrl}/auth/login`,
    address: wallet.address,
    chainId: 137,
    version: '1',
    nonce: randomBytes(16).toString('hex'),
    statement: 'Sign in.',
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 3 * 3_600_000),
    ...changes,
  })
}

async function signIn(message: string, signer = wallet) {
  return sandbox.service('POST', '/auth/login', { message, signature: await signer.signMessage({ message }) })
}

/** The same key makes both signatures, and verifiers that recover the address from either accept both. */
function withHighS(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  return `${signature.slice(0, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`
}

describe('the API key (§5.1)', () => {
  it.each([
    ['missing', {}],
    ['wrong', { Authorization: 'another-key' }],
    ['behind Bearer', { Authorization: 'Bearer sandbox-test-key' }],
  ])('is refused with 401 when it is %s', async (_case, headers) => {
    const { status, body } = await sandbox.call('GET', '/onboarding/supported/countries', undefined, headers)
    expect(status).toBe(401)
    expect(body).toMatchObject({
      statusCode: 401,
      name: expect.any(String),
      level: 'warn',
      error_id: expect.any(String),
    })
  })

  it('alone is enough for the supported countries', async () => {
    const { status, body } = await sandbox.service('GET', '/supported/countries')
    expect(status).toBe(200)
    expect(body).toContainEqual(
      expect.objectContaining({ country_code: 'ES', is_individual_supported: true }),
    )
  })
})

describe('signing in with a wallet (§5.2)', () => {
  let user: string
  beforeAll(async () => {
    user = await sandbox.createUser({ target_address: wallet.address })
  })

  it('answers a session that opens user-scoped calls', async () => {
    const { status, body } = await signIn(compose())
    expect(status).toBe(200)
    expect(body).toEqual({ service_session_id: expect.any(String), user_uuid: user })
    const headers = { 'service-session-id': body.service_session_id }
    const read = await sandbox.service('GET', '/user', undefined, headers)
    expect(read.body).toMatchObject({ uuid: user, target_address: wallet.address })
  })

  it.each<[string, (signature: string) => string]>([
    ['v = 0 or 1', (text) => `${text.slice(0, -2)}0${text.endsWith('1b') ? 0 : 1}`],
    ['64 bytes', (text) => text.slice(0, 130)],
    ['no 0x', (text) => text.slice(2)],
    ['upper case', (text) => `0x${text.slice(2).toUpperCase()}`],
    ['0X', (text) => `0X${text.slice(2)}`],
    ['the twin with s in the upper half', withHighS],
  ])('refuses a signature with %s, as strict services do', async (_what, respell) => {
    const message = compose()
    const signature = await wallet.signMessage({ message })
    const other = await sandbox.service('POST', '/auth/login', { message, signature: respell(signature) })
    expect(other.status).toBe(401)
    expect((await sandbox.service('POST', '/auth/login', { message, signature })).status).toBe(200)
  })

  it('refuses a nonce that was used before', async () => {
    const message = compose()
    expect((await signIn(message)).status).toBe(200)
    const again = await signIn(message)
    expect(again.status).toBe(401)
    expect(again.body.message).toContain('nonce')
  })

  it('lets one of two simultaneous uses of a nonce in', async () => {
    const message = compose()
    const statuses = (await Promise.all([signIn(message), signIn(message)])).map((answer) => answer.status)
    expect(statuses.sort()).toEqual([200, 401])
  })

  it('refuses a signature by another wallet, for another message, and a nonsensical one', async () => {
    const stranger = privateKeyToAccount(generatePrivateKey())
    expect((await signIn(compose(), stranger)).status).toBe(401)
    const signature = await wallet.signMessage({ message: compose() })
    expect((await sandbox.service('POST', '/auth/login', { message: compose(), signature })).status).toBe(401)
    expect(
      (await sandbox.service('POST', '/auth/login', { message: compose(), signature: '0x00' })).status,
    ).toBe(401)
  })

  it('refuses a wallet that is nobody’s target_address', async () => {
    const stranger = privateKeyToAccount(generatePrivateKey())
    expect((await signIn(compose({ address: stranger.address }), stranger)).status).toBe(401)
  })

  it('refuses a well-signed message for another domain, and does not use up its nonce', async () => {
    const nonce = randomBytes(16).toString('hex')
    expect((await signIn(compose({ nonce, domain: 'dashboard.example' }))).status).toBe(401)
    expect((await signIn(compose({ nonce }))).status).toBe(200)
  })
})

describe('signing in with a code (§5.3)', () => {
  async function createReader() {
    const email = `${crypto.randomUUID()}@demo.test`
    const user = await sandbox.createUser({ email })
    return {
      user,
      ask: () => sandbox.service('POST', '/auth/login', { user_uuid: user }),
      code: () => sandbox.lastCode(email),
      exchange: (code: string) =>
        sandbox.service('POST', '/auth/otp/', { user_uuid: user, one_time_password: code }),
    }
  }

  it('answers 204 without a body, and the code from the mailbox answers a session', async () => {
    const reader = await createReader()
    const asked = await reader.ask()
    expect([asked.status, asked.body]).toEqual([204, ''])
    const { status, body } = await reader.exchange(await reader.code())
    expect(status).toBe(200)
    expect(body).toEqual({ service_session_id: expect.any(String), user_uuid: reader.user })
  })

  it('takes the path without its last slash, too', async () => {
    const reader = await createReader()
    await reader.ask()
    const body = { user_uuid: reader.user, one_time_password: await reader.code() }
    expect((await sandbox.service('POST', '/auth/otp', body)).status).toBe(200)
  })

  it('refuses a used code, an older code and a wrong one with 401', async () => {
    const reader = await createReader()
    await reader.ask()
    const older = await reader.code()
    await reader.ask()
    const newer = await reader.code()
    if (older !== newer) expect((await reader.exchange(older)).status).toBe(401)
    expect((await reader.exchange(newer)).status).toBe(200)
    expect((await reader.exchange(newer)).status).toBe(401)
  })

  it('kills a code after too many wrong guesses', async () => {
    const reader = await createReader()
    await reader.ask()
    const code = await reader.code()
    for (let guess = 0; guess < 3; guess++) expect((await reader.exchange('wrong')).status).toBe(401)
    expect((await reader.exchange(code)).status).toBe(401)
  })

  it('lets one of two simultaneous exchanges in', async () => {
    const reader = await createReader()
    await reader.ask()
    const code = await reader.code()
    const statuses = (await Promise.all([reader.exchange(code), reader.exchange(code)])).map(
      (answer) => answer.status,
    )
    expect(statuses.sort()).toEqual([200, 401])
  })

  it('answers 429 with Retry-After when codes are asked for too often', async () => {
    const reader = await createReader()
    for (let time = 0; time < 4; time++) expect((await reader.ask()).status).toBe(204)
    const refused = await reader.ask()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
  })

  it('answers 404 for a user that was not created', async () => {
    const user_uuid = crypto.randomUUID()
    expect((await sandbox.service('POST', '/auth/login', { user_uuid })).status).toBe(404)
    expect((await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password: '1' })).status).toBe(
      404,
    )
  })

  it('notifies the endpoints when the mail bounced', async () => {
    const receiver = await startTestReceiver()
    const endpoint = await sandbox.createEndpoint(receiver.url, { subscribed_events: ['otpNotification'] })
    const email = `gone-${crypto.randomUUID()}@demo.invalid`
    const user_uuid = await sandbox.createUser({ email })
    await sandbox.service('POST', '/auth/login', { user_uuid })
    const [delivery] = await until(() => receiver.received.length > 0 && receiver.received, 'the bounce')
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({
      type: 'otpNotification',
      subType: 'EMAIL_DELIVERY_FAILED',
      uuid: user_uuid,
      data: { emailAddress: email, failureType: expect.any(String), diagnosticCode: expect.any(String) },
    })
    await sandbox.service('DELETE', `/merchant/webhook-endpoints/${endpoint.uuid}`)
    await receiver.stop()
  })
})

describe('users and sessions (§5.1)', () => {
  it('reads a user by session or by user-uuid, and refuses neither and a made-up session', async () => {
    const user = await sandbox.createUser()
    const read = (headers: Record<string, string>) => sandbox.service('GET', '/user', undefined, headers)
    expect((await read({ 'user-uuid': user })).body).toMatchObject({ uuid: user, status: 'CREATED' })
    expect((await read({})).status).toBe(401)
    expect((await read({ 'service-session-id': 'made-up' })).status).toBe(401)
    expect((await read({ 'service-session-id': 'made-up', 'user-uuid': user })).status).toBe(401)
    expect((await read({ 'user-uuid': crypto.randomUUID() })).status).toBe(404)
    expect((await read({ 'user-uuid': 'nobody' })).status).toBe(400)
  })

  it('takes null for what it answers as null', async () => {
    const user = { email: 'null@demo.test', first_name: 'Ana', last_name: 'Ruiz', country: 'ES' }
    const none = { target_address: null, date_of_birth: null, phone: null }
    const created = await sandbox.service('POST', '/user', { ...user, ...none })
    expect(created.status).toBe(201)
    const headers = { 'user-uuid': created.body.user_uuid }
    const { body } = await sandbox.service('GET', '/user', undefined, headers)
    expect(body).toMatchObject({ target_address: null, date_of_birth: null })
    expect(
      (await sandbox.service('POST', '/user', { ...user, email: 'n@demo.test', first_name: null })).status,
    ).toBe(400)
  })

  it('refuses a second user with the same e-mail address, and takes one in another case', async () => {
    const email = `${crypto.randomUUID()}@demo.test`
    const user = { first_name: 'Ana', last_name: 'Ruiz', country: 'ES' }
    expect((await sandbox.service('POST', '/user', { ...user, email })).status).toBe(201)
    const second = await sandbox.service('POST', '/user', { ...user, email })
    expect(second.status).toBe(409)
    expect(second.body.name).toBe('EmailAlreadyExistsError')
    const other = await sandbox.service('POST', '/user', { ...user, email: email.replace('demo', 'Demo') })
    expect(other.status).toBe(201)
  })
})

describe('bad input', () => {
  const user = { email: 'x@demo.test', first_name: 'A', last_name: 'B', country: 'ES' }
  it.each([
    ['POST', '/auth/login', '{'],
    ['POST', '/auth/login', '[]'],
    ['POST', '/auth/login', 'null'],
    ['POST', '/auth/login', {}],
    ['POST', '/auth/login', { user_uuid: 'x' }],
    ['POST', '/auth/login', { user_uuid: crypto.randomUUID(), message: 'm', signature: 's' }],
    ['POST', '/auth/login', { message: 'm' }],
    ['POST', '/auth/otp/', { user_uuid: crypto.randomUUID() }],
    ['POST', '/auth/otp/', { user_uuid: crypto.randomUUID(), one_time_password: 5 }],
    ['POST', '/user', { ...user, email: 'none' }],
    ['POST', '/user', { ...user, first_name: 'A\u0000' }],
    ['POST', '/user', { ...user, country: 'XX' }],
    ['POST', '/user', { ...user, target_address: '0x1' }],
    ['GET', '/merchant/webhook-endpoints/x', undefined],
    ['GET', '/merchant/webhook-endpoints?status=sleeping', undefined],
  ])('%s %s with %j is a 400 with a small JSON body', async (method, path, body) => {
    const answer = await sandbox.service(method, path, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ statusCode: 400, message: expect.any(String) })
  })

  it('refuses 10 MB with 413 and an unknown path with 404', async () => {
    expect(
      (await sandbox.service('POST', '/user', { ...user, last_name: 'x'.repeat(10_000_000) })).status,
    ).toBe(413)
    expect((await sandbox.service('GET', '/invented')).status).toBe(404)
  })

  it('answers a code with NUL in it by 4xx', async () => {
    const user_uuid = await sandbox.createUser()
    const { status } = await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password: '\u0000' })
    expect([400, 401]).toContain(status)
  })
})
