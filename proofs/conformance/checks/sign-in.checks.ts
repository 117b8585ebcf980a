import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Check, type CheckContext, inOperations, overHttp } from '../kit/check-context.ts'
import {
  after,
  assertRefused,
  assertStatus,
  assertSuccess,
  bodyOf,
  type MessageParts,
  NamedUserSchema,
  ReadUserSchema,
  SessionSchema,
} from '../kit/shapes.ts'

/** §4.1 and §5.3 define these rules. */
export const signInChecks: Check[] = [
  overHttp('4.1-login-two-branches', [], async ({ call, createPerson, composeMessage }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    const login = (body: object) => call('POST', '/auth/login', body)
    assertStatus(await login({ message, signature }), 200, 'message and signature')
    assertStatus(await login({ user_uuid: person.uuid }), 204, 'user_uuid')
    for (const neither of [{}, { message }, { signature }, { uuid: person.uuid }])
      assertRefused(await login(neither), `only ${Object.keys(neither).join() || 'nothing'}`)
  }),

  overHttp('4.1-login-wallet-200', [], async ({ call, createPerson, composeMessage }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    const answer = await call('POST', '/auth/login', { message, signature })
    assertStatus(answer, 200, 'message and signature')
    assert.equal(bodyOf(SessionSchema, answer, 'the session').user_uuid, person.uuid, 'user_uuid')
  }),

  overHttp('4.1-login-code-204', [], async ({ call, createPerson }) => {
    const answer = await call('POST', '/auth/login', { user_uuid: (await createPerson()).uuid })
    assertStatus(answer, 204, 'user_uuid alone')
    assert.equal(answer.text, '', 'the body')
  }),

  inOperations('4.1-login-code-mailed', ['mailbox'], async ({ createPerson, askForCode, control }) => {
    const person = await createPerson()
    await askForCode(person)
    const mails = await control.mails(person.email)
    assert.deepEqual(
      mails.map(({ email }) => email),
      [person.email],
      'mails',
    )
  }),

  inOperations('4.1-1-signature-verified', [], async ({ createPerson, composeMessage, service }) => {
    const person = await createPerson()
    const [message, another] = [await composeMessage(person), await composeMessage(person)]
    const signature = await person.wallet.signMessage({ message: another })
    assertStatus(await service.signInWithWallet(message, signature), 401, 'the signature of another message')
    assertRefused(await service.signInWithWallet(message, '0x1234'), 'what is no signature')
  }),

  inOperations('4.1-1-signer-is-target-address', [], async ({ createPerson, composeMessage, service }) => {
    const [person, other] = [await createPerson(), await createPerson()]
    const message = await composeMessage(person)
    const signature = await other.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 401, 'signed by another user')
  }),

  inOperations('4.1-2-new-code', ['mailbox'], async ({ createPerson, askForCode, control, service }) => {
    const person = await createPerson()
    await askForCode(person)
    const code = await askForCode(person)
    assert.equal((await control.mails(person.email)).length, 2, 'mails after two calls')
    assertStatus(await service.signInWithCode(person.uuid, code), 200, 'the second code')
  }),

  inOperations('4.1-2-fresh-call', ['mailbox'], async ({ createPerson, askForCode, service }) => {
    const person = await createPerson()
    for (const time of ['first', 'second']) {
      const code = await askForCode(person)
      assertStatus(await service.signInWithCode(person.uuid, code), 200, `the ${time} code`)
    }
  }),

  inOperations('4.1-3-no-body-to-parse', [], async ({ createPerson, service }) => {
    const { status, body } = await service.sendCode((await createPerson()).uuid)
    assert.deepEqual({ status, body }, { status: 204, body: undefined }, 'asking for a code')
  }),

  overHttp('4.1-exchange-request', [], async ({ call, createPerson }) => {
    const user_uuid = (await createPerson()).uuid
    await call('POST', '/auth/login', { user_uuid })
    const exchange = (body: object) => call('POST', '/auth/otp/', body)
    assertStatus(await exchange({ user_uuid, one_time_password: 'wrong' }), 401, 'both, the code wrong')
    assertRefused(await exchange({ user_uuid }), 'without a code')
    assertRefused(await exchange({ one_time_password: '123456' }), 'without a user')
  }),

  overHttp('4.1-exchange-200', ['mailbox'], async ({ call, createPerson, askForCode }) => {
    const person = await createPerson()
    const body = { user_uuid: person.uuid, one_time_password: await askForCode(person) }
    const answer = await call('POST', '/auth/otp/', body)
    assertStatus(answer, 200, 'the right code')
    assert.equal(bodyOf(SessionSchema, answer, 'the session').user_uuid, person.uuid, 'user_uuid')
  }),

  inOperations('5.3-two-calls', ['mailbox'], async ({ createPerson, askForCode, service }) => {
    const person = await createPerson()
    assertStatus(
      await service.signInWithCode(person.uuid, '000000'),
      401,
      'the second call without the first',
    )
    const code = await askForCode(person)
    bodyOf(SessionSchema, await service.signInWithCode(person.uuid, code), 'both calls')
  }),
]

/** §5.2 defines these rules. */
export const signInMessageChecks: Check[] = [
  inOperations('5.2-layout', [], async ({ createPerson, composeMessage, service }) => {
    const person = await createPerson()
    const arrangements: Record<string, (lines: string[]) => string[]> = {
      'URI after Version': (lines) => lines.toSpliced(5, 2, lines[6] ?? '', lines[5] ?? ''),
      'no blank line before the statement': (lines) => lines.toSpliced(2, 1),
      'no nonce': (lines) => lines.toSpliced(8, 1),
      'a second URI': (lines) => lines.toSpliced(6, 0, lines[5] ?? ''),
      'another first line': (lines) => ['Please sign in:', ...lines.slice(1)],
    }
    for (const [what, arrange] of Object.entries(arrangements)) {
      const message = arrange((await composeMessage(person)).split('\n')).join('\n')
      const signature = await person.wallet.signMessage({ message })
      assertRefused(await service.signInWithWallet(message, signature), what)
    }
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the lines in their order')
  }),

  inOperations('5.2-domain', [], async (world) => {
    const { host } = new URL(world.baseUrl)
    await accepts(world, { domain: host })
    await refuses(world, [
      { domain: 'merchant.example' },
      { domain: `${host}.example` },
      { domain: `sub.${host}` },
      { domain: `${new URL(world.baseUrl).hostname}:1` },
    ])
  }),

  inOperations('5.2-uri', [], async (world) => {
    const login = `${world.baseUrl}/auth/login`
    await accepts(world, { uri: login })
    await refuses(world, [
      { uri: `${world.baseUrl}/auth/otp/` },
      { uri: `${login}/` },
      { uri: `${login}?user=1` },
      { uri: new URL(world.baseUrl).origin },
      { uri: 'https://merchant.example/auth/login' },
    ])
  }),

  inOperations('5.2-address', [], async (world) => {
    const [person, other] = [await world.createPerson(), await world.createPerson()]
    assertStatus(await world.tryWallet(person), 200, 'the user’s own')
    assertStatus(await world.tryWallet(person, { address: other.wallet.address }), 401, 'another user’s')
    assertStatus(await world.tryWallet(world.stranger()), 401, 'nobody’s')
  }),

  inOperations('5.2-version', [], async (world) => {
    await accepts(world, { version: '1' })
    await refuses(world, [{ version: '2' }, { version: '0' }, { version: '' }])
  }),

  inOperations('5.2-chain-id', [], async (world) => {
    for (const chainId of ['1', '137', '8453']) await accepts(world, { chainId })
    await refuses(world, [{ chainId: 'polygon' }, { chainId: '1.5' }, { chainId: '' }])
  }),

  inOperations('5.2-nonce-alphanumeric', [], async (world) => {
    await accepts(world, {})
    await refuses(world, [{ nonce: 'with-dashes-in-it' }, { nonce: 'mit ümlaut und platz' }, { nonce: '' }])
  }),

  inOperations('5.2-nonce-never-reused', [], async ({ service, composeMessage, createPerson }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the first use')
    assertStatus(await service.signInWithWallet(message, signature), 401, 'the second use')
  }),

  inOperations('5.2-issued-at', [], async (world) => {
    await accepts(world, {})
    await refuses(world, [{ issuedAt: 'yesterday' }, { issuedAt: '1700000000' }, { issuedAt: '' }])
  }),

  inOperations('5.2-expiration-time', [], async (world) => {
    const now = await world.now()
    await accepts(world, { expirationTime: after(now, 3_600) })
    await refuses(world, [
      { issuedAt: after(now, -7_200), expirationTime: after(now, -3_600) },
      { expirationTime: 'tomorrow' },
    ])
  }),

  inOperations('5.2-lifetime', [], livesTwoToFourHours),

  inOperations('5.2-statement', [], async (world) => {
    for (const statement of ['Sign in.', 'Any words: even those of a merchant, 24/7', 'Olá, "mundo" — 登录'])
      await accepts(world, { statement })
  }),

  inOperations('5.2-exact-message', [], async ({ service, composeMessage, createPerson }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    for (const sent of [`${message}\n`, ` ${message}`, message.replace('Sign in', 'sign in')])
      assertRefused(await service.signInWithWallet(sent, signature), 'another string than the one signed')
    assert.notEqual(signature, await person.wallet.signMessage({ message: `${message}\n` }))
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the string signed')
  }),
]

/** §5.2 and §8 define this. */
export async function livesTwoToFourHours(world: CheckContext) {
  const now = await world.now()
  for (const hours of [2, 3, 4])
    await accepts(world, { issuedAt: after(now, -1), expirationTime: after(now, hours * 3_600 - 1) })
}

async function accepts({ createPerson, tryWallet }: CheckContext, changes: Partial<MessageParts>) {
  assertStatus(await tryWallet(await createPerson(), changes), 200, `with ${describe(changes)}`)
}

/** ASSUMED: 401 or another 4xx; §5.2 says "rejected". */
async function refuses({ createPerson, tryWallet }: CheckContext, wrong: Partial<MessageParts>[]) {
  const person = await createPerson()
  for (const changes of wrong) assertRefused(await tryWallet(person, changes), `with ${describe(changes)}`)
}

const describe = (changes: Partial<MessageParts>) =>
  Object.entries(changes)
    .map(([part, value]) => `${part} "${value}"`)
    .join(' and ') || 'everything right'

/** §1, §2.1 and §2.2 define these rules. */
export const userAndSessionChecks: Check[] = [
  overHttp('1-branded-mail-elsewhere', [], async ({ call }) => {
    for (const path of ['/merchant/email-template', '/merchant/emails', '/merchant/branding'])
      for (const method of ['GET', 'POST']) assertRefused(await call(method, path), `${method} ${path}`)
  }),

  inOperations('1-default-mail', ['mailbox'], async ({ createPerson, askForCode, service }) => {
    const person = await createPerson()
    const code = await askForCode(person)
    assertStatus(await service.signInWithCode(person.uuid, code), 200, 'the code of a mail nobody arranged')
  }),

  inOperations('2.1-user-uuid', [], async ({ createPerson, service }) => {
    const { uuid } = await createPerson()
    const read = bodyOf(NamedUserSchema, await service.readUser({ userUuid: uuid }), 'reading the user')
    assert.equal(read, uuid, 'the uuid of the user that was created')
  }),

  inOperations('2.1-created-before-sign-in', [], async ({ service, tryWallet, stranger }) => {
    assertStatus(await service.sendCode(randomUUID()), 404, 'a code for nobody')
    assertStatus(await service.signInWithCode(randomUUID(), '000000'), 404, 'a code of nobody')
    assertRefused(await tryWallet(stranger()), 'a wallet of nobody')
  }),

  inOperations('2.1-email', ['mailbox'], async ({ createPerson, askForCode, control }) => {
    const [asks, waits] = [await createPerson(), await createPerson()]
    await askForCode(asks)
    assert.equal((await control.mails(asks.email)).length, 1, 'mails to the user who asked')
    assert.equal((await control.mails(waits.email)).length, 0, 'mails to another user')
  }),

  inOperations('2.1-target-address', [], async ({ createPerson, tryWallet, stranger }) => {
    const person = await createPerson()
    assertStatus(await tryWallet(person), 200, 'the user’s own wallet')
    assertStatus(await tryWallet(stranger()), 401, 'a wallet that is no user’s')
  }),

  inOperations('2.1-other-fields-not-shown', [], async ({ createPerson, service }) => {
    const { uuid, wallet } = await createPerson()
    const read = await service.readUser({ userUuid: uuid })
    assert.equal(bodyOf(NamedUserSchema, read, 'reading the user'), uuid, 'the uuid, beside any other field')
    const { target_address } = bodyOf(ReadUserSchema, read, 'reading the user')
    assert.equal(target_address.toLowerCase(), wallet.address.toLowerCase(), 'target_address, likewise')
  }),

  inOperations('2.2-service-session-id', [], async ({ createPerson, signIn, service }) => {
    const { service_session_id } = await signIn(await createPerson())
    assert.match(service_session_id, /^[!-~]+$/, 'what a header can carry')
    assertSuccess(await service.readUser({ session: service_session_id }), 'a call with it in its header')
  }),

  inOperations('2.2-user-uuid', [], async ({ createPerson, signIn }) => {
    const person = await createPerson()
    assert.equal((await signIn(person)).user_uuid, person.uuid, 'user_uuid')
  }),

  inOperations('2.2-lifetime', ['clock'], async ({ createPerson, signIn, service, control }) => {
    const { service_session_id: session } = await signIn(await createPerson())
    assertSuccess(await service.readUser({ session }), 'a call right after signing in')
    await control.advance(8 * 86_400)
    assertStatus(await service.readUser({ session }), 401, 'the same call eight days later')
  }),
]
