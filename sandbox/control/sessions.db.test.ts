import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestSandbox } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

const signIn = (body: unknown) => sandbox.control('POST', '/sessions', body)
const userOf = (session: string) =>
  sandbox.service('GET', '/user', undefined, { 'service-session-id': session })

describe('a session by one call', () => {
  it('signs a new user in, with made-up fields for those that are not given', async () => {
    const { status, body } = await signIn({ first_name: 'Eva', country: 'PT' })
    expect(status).toBe(201)
    expect((await userOf(body.service_session_id)).body).toMatchObject({
      uuid: body.user_uuid,
      email: body.email,
      target_address: body.target_address,
      first_name: 'Eva',
      address: { country: 'PT' },
    })
  })

  it('signs as many new users in as one likes', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => signIn({})))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(made.map(({ body }) => body.user_uuid)).size).toBe(20)
  })

  it('signs a user in who exists, or says that nobody does', async () => {
    const user_uuid = await sandbox.createUser()
    const { body } = await signIn({ user_uuid })
    expect(body).toMatchObject({ user_uuid, private_key: null })
    expect((await userOf(body.service_session_id)).body.uuid).toBe(user_uuid)
    expect((await signIn({ user_uuid: crypto.randomUUID() })).status).toBe(404)
  })

  it('signs a user in beside fields that are null, as generated clients send them', async () => {
    const user_uuid = await sandbox.createUser()
    const nothing = { target_address: null, date_of_birth: null, phone: null }
    expect((await signIn({ user_uuid, ...nothing })).body).toMatchObject({ user_uuid })
    expect((await signIn({ ...nothing, phone: '+34 600 000 000', user_uuid })).status).toBe(400)
  })

  it('expires with the clock, as any session', async () => {
    const { body } = await signIn({})
    await sandbox.control('POST', '/clock/advance', { seconds: 3_601 })
    expect((await userOf(body.service_session_id)).status).toBe(401)
  })

  it.each([
    [{ user_uuid: 'nobody' }, 400],
    [{ user_uuid: '00000000-0000-4000-8000-000000000000', email: 'x@demo.test' }, 400],
    [{ country: 'XX' }, 400],
    [{ name: 'Eva' }, 400],
    [{ email: 'taken@demo.test' }, 409],
  ])('refuses %o', async (body, status) => {
    await sandbox.createUser({ email: 'taken@demo.test' })
    expect((await signIn(body)).status).toBe(status)
  })
})

describe('a wallet made for tests', () => {
  it.each([
    [undefined, {}],
    ['Olá, mundo', {}],
    [undefined, { target_address: null }],
  ])('signs its user in by a message that says %s, made with %o', async (statement, fields) => {
    const { body: person } = await signIn(fields)
    const { body: login } = await sandbox.control('POST', '/sign-in-messages', {
      private_key: person.private_key,
      ...(statement && { statement }),
    })
    const { status, body } = await sandbox.service('POST', '/auth/login', login)
    expect(status).toBe(200)
    expect(body.user_uuid).toBe(person.user_uuid)
    expect((await sandbox.service('POST', '/auth/login', login)).status).toBe(401)
  })

  it('signs at the time that the clock was set to', async () => {
    const { body: person } = await signIn({})
    await sandbox.control('POST', '/clock/set', { now: '2040-02-29T12:00:00Z' })
    const { body: login } = await sandbox.control('POST', '/sign-in-messages', {
      private_key: person.private_key,
    })
    expect((await sandbox.service('POST', '/auth/login', login)).status).toBe(200)
  })

  it.each(['a\tb', 'a\rb', 'a\nb', 'a\u2028b', '\u202ea', '\u2067a', 'a\ud800', 'a\ufffd', 'a\u0085', ''])(
    'signs no statement that a login refuses: %j',
    async (statement) => {
      const { body: person } = await signIn({})
      const { private_key } = person
      const { status, body } = await sandbox.control('POST', '/sign-in-messages', { private_key, statement })
      expect(status).toBe(400)
      expect(body.message).toMatch(/^statement: /)
    },
  )

  it.each([
    { SANDBOX_PUBLIC_URL: 'http://localhost/onboarding' },
    { SANDBOX_PUBLIC_URL: 'http://sandbox:4010/onboarding' },
    { SANDBOX_PUBLIC_URL: 'http://[::1]:4010/onboarding' },
    { SANDBOX_PUBLIC_URL: 'http://my_sandbox.test/onboarding' },
    { SANDBOX_PUBLIC_URL: 'https://10.0.0.7:8443/onboarding' },
    { SANDBOX_PUBLIC_URL: 'https://Bücher.example/onboarding/' },
    { SANDBOX_LONGEST_MESSAGE_MINUTES: '60' },
    { SANDBOX_LONGEST_MESSAGE_MINUTES: '0' },
  ])('signs what signs in, with %j', async (settings) => {
    const other = await startTestSandbox(settings)
    const { body: person } = await other.control('POST', '/sessions', {})
    const { private_key } = person
    for (const statement of [undefined, 'Olá, mundo', ' ', '👩\u200d💻']) {
      const { status, body } = await other.control('POST', '/sign-in-messages', { private_key, statement })
      expect(status).toBe(200)
      expect((await other.service('POST', '/auth/login', body)).body.user_uuid).toBe(person.user_uuid)
    }
    await other.stop()
  })

  it.each(['0x00', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, `0x${'g'.repeat(64)}`])(
    'is none with the key %s',
    async (private_key) => {
      expect((await sandbox.control('POST', '/sign-in-messages', { private_key })).status).toBe(400)
    },
  )
})
