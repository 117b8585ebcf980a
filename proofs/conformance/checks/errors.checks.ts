import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Check, inOperations, overHttp } from '../kit/check-context.ts'
import {
  assertAccepted,
  assertRefused,
  assertStatus,
  assertSuccess,
  bodyOf,
  EndpointSchema,
  ReadUserSchema,
} from '../kit/shapes.ts'
import { refusesExpiredSession } from './credentials.checks.ts'
import { requireEvents } from './events.checks.ts'
import { livesTwoToFourHours } from './sign-in.checks.ts'
import { at255Characters, onlyHttps, refusesLegacySpelling } from './webhook-endpoints.checks.ts'

/** §7 defines these rules. */
export const errorChecks: Check[] = [
  inOperations('7-400-subscribed-events', [], async (world) => {
    await refusesLegacySpelling(world)
    const endpoint = { url: 'https://receiver.example/hook', description: 'Conformance' }
    const refused = await world.service.createEndpoint({ ...endpoint, subscribed_events: ['somethingElse'] })
    assertStatus(refused, 400, 'an event that nobody knows')
  }),

  inOperations('7-401-session', ['clock'], async (world) => {
    assertStatus(await world.service.readUser({ session: 'made-up' }), 401, 'a session made up')
    await refusesExpiredSession(world)
  }),

  inOperations('7-401-signature', [], async ({ createPerson, composeMessage, service }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message: 'another message' })
    assertStatus(await service.signInWithWallet(message, signature), 401, 'a signature of something else')
  }),

  inOperations('7-401-address', [], async ({ createPerson, composeMessage, service }) => {
    const [person, other] = [await createPerson(), await createPerson()]
    const message = await composeMessage(person)
    const signature = await other.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 401, 'another user’s signature')
  }),

  inOperations('7-401-code-wrong', ['mailbox'], async ({ createPerson, askForCode, service }) => {
    const [person, other] = [await createPerson(), await createPerson()]
    const code = await askForCode(person)
    const others = await codeUnlike(code, () => askForCode(other))
    assertStatus(await service.signInWithCode(person.uuid, others), 401, 'another user’s code')
    assertStatus(await service.signInWithCode(other.uuid, others), 200, 'that code from its own user')
    const wrong = code.replace(/^./, (first) => (first === '1' ? '2' : '1'))
    assertStatus(await service.signInWithCode(person.uuid, wrong), 401, 'one character off')
    assertStatus(await service.signInWithCode(person.uuid, code), 200, 'the right code after it')
  }),

  inOperations('7-401-code-used', ['mailbox'], async ({ createPerson, askForCode, service }) => {
    const person = await createPerson()
    const code = await askForCode(person)
    assertStatus(await service.signInWithCode(person.uuid, code), 200, 'the first use')
    assertStatus(await service.signInWithCode(person.uuid, code), 401, 'the second use')
  }),

  // ASSUMED: no code lives longer than a day.
  inOperations('7-401-code-expired', ['clock'], async ({ createPerson, askForCode, service, control }) => {
    const person = await createPerson()
    const code = await askForCode(person)
    await control.advance(2 * 86_400)
    assertStatus(await service.signInWithCode(person.uuid, code), 401, 'the code two days later')
  }),

  // The contract's `string (uuid)` names no version, so the second id, which has none, is a uuid too.
  inOperations('7-404-user', [], async ({ service }) => {
    for (const nobody of [randomUUID(), randomUUID().replace(/-4(...)-./, '-0$1-0')]) {
      assertStatus(await service.sendCode(nobody), 404, `a code for nobody, ${nobody}`)
      assertStatus(await service.signInWithCode(nobody, '000000'), 404, `a code of nobody, ${nobody}`)
      assertStatus(await service.readUser({ userUuid: nobody }), 404, `reading nobody, ${nobody}`)
    }
  }),

  // On another host this would send many mails.
  inOperations('7-429-codes', ['control'], async ({ createPerson, service }) => {
    const { uuid } = await createPerson()
    let { status } = await service.sendCode(uuid)
    for (let asked = 1; status === 204 && asked < 1_000; asked++)
      status = (await service.sendCode(uuid)).status
    assert.equal(status, 429, 'asking again and again')
  }),

  inOperations('7-sign-in-again', ['clock'], async ({ createPerson, signIn, service, control }) => {
    const person = await createPerson()
    const { service_session_id: first } = await signIn(person)
    await control.advance(8 * 86_400)
    assertStatus(await service.readUser({ session: first }), 401, 'the session of eight days ago')
    const { service_session_id: second } = await signIn(person)
    assertSuccess(await service.readUser({ session: second }), 'the call repeated with a new one')
  }),

  overHttp('7-bodies-not-shown', [], async ({ call }) => {
    const session = { 'service-session-id': `made-up-${randomUUID()}` }
    const read = await call('GET', '/user', undefined, session)
    const login = await call('POST', '/auth/login', { user_uuid: randomUUID() })
    assertStatus(read, 401, 'the status alone says that a session is not valid')
    assertStatus(login, 404, 'the status alone says that a user does not exist')
    for (const { text } of [read, login]) {
      assert.ok(text.length < 10_000, 'whatever it says is short')
      assert.ok(!text.includes(session['service-session-id']), 'whatever it says holds no credential')
    }
  }),
]

/** Two users' codes may be the same by chance, rarely twice. */
async function codeUnlike(code: string, ask: () => Promise<string>): Promise<string> {
  const other = await ask()
  return other === code ? ask() : other
}

/** §4 and §4.3 define these rules. */
export const callChecks: Check[] = [
  overHttp('4-relative-to-base-url', [], async ({ call, baseUrl, apiKey }) => {
    assertSuccess(await call('GET', '/supported/countries'), 'below the base address')
    const { origin, pathname } = new URL(baseUrl)
    if (pathname === '/') return
    const headers = { authorization: apiKey }
    const elsewhere = await fetch(`${origin}/supported/countries`, { headers, redirect: 'manual' })
    assert.equal(elsewhere.ok, false, 'a success beside the base address')
  }),

  overHttp('4-json', [], async ({ call }) => {
    const answer = await call('GET', '/supported/countries')
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/, 'Content-Type')
    for (const body of ['{', 'user_uuid=1', '', '[]', '"text"', 'null'])
      assertRefused(await call('POST', '/auth/login', body), `a body ${body}`)
  }),

  overHttp('4-nothing-else', ['control'], async ({ call, createEndpoint, createPerson }) => {
    const { uuid } = await createEndpoint()
    const user = { 'user-uuid': (await createPerson()).uuid }
    for (const [method, path] of [
      ['DELETE', '/user'],
      ['PATCH', '/user'],
      ['GET', `/user/${user['user-uuid']}`],
      ['GET', '/users'],
      ['POST', '/user/kyc'],
      ['POST', '/user/kyb'],
      ['GET', '/corporate'],
      ['PUT', `/merchant/webhook-endpoints/${uuid}`],
      ['POST', `/merchant/webhook-endpoints/${uuid}/test`],
      ['GET', `/merchant/webhook-endpoints/${uuid}/secret`],
    ] as const)
      assertStatus(
        await call(method, path, method === 'GET' ? undefined : {}, user),
        404,
        `${method} ${path}`,
      )
  }),

  inOperations('4.3-post-user', [], async ({ createPerson, tryWallet, service, stranger }) => {
    const person = stranger()
    assertRefused(await tryWallet(person), 'signing in before')
    const { email, wallet } = person
    const created = await service.createUser({ email, target_address: wallet.address })
    assertSuccess(created, 'POST /user')
    assertStatus(await tryWallet(person), 200, 'signing in after')
    assertStatus(await service.sendCode((await createPerson()).uuid), 204, 'asking for a code after')
  }),

  inOperations('4.3-get-user', [], async ({ createPerson, service }) => {
    const { uuid, email, wallet } = await createPerson()
    const read = bodyOf(ReadUserSchema, await service.readUser({ userUuid: uuid }), 'GET /user')
    assert.equal(read.target_address.toLowerCase(), wallet.address.toLowerCase(), 'target_address')
    assert.ok(Object.values(read).includes(email), 'the e-mail address is among its fields')
  }),

  inOperations('4.3-supported-countries', [], async ({ service }) => {
    const countries = bodyOf(z.array(z.unknown()), await service.listCountries(), 'GET /supported/countries')
    assert.ok(countries.length > 0, 'there are some')
  }),

  overHttp('4.3-merchant', [], async ({ call }) => {
    // §1 also names a configuration, but no path to it.
    const path = '/merchant/webhook-endpoints'
    assertSuccess(await call('GET', path), 'with the merchant’s key')
    const stranger = { authorization: randomUUID() }
    assertStatus(await call('GET', path, undefined, stranger), 401, 'with a key that is no merchant’s')
  }),

  overHttp('4.3-share-token', [], async ({ call, createPerson }) => {
    const write = (uuid: string) => call('POST', '/user/kyc/applicant/share-token', {}, { 'user-uuid': uuid })
    assertAccepted(await write((await createPerson()).uuid), 'for a user')
    assertStatus(await write(randomUUID()), 404, 'for nobody')
  }),

  inOperations('4.3-shapes-not-shown', [], async ({ createPerson, service }) => {
    const { uuid } = await createPerson()
    assertSuccess(await service.readUser({ userUuid: uuid }), 'GET /user')
    assertSuccess(await service.listCountries(), 'GET /supported/countries')
  }),
]

/** The checks cover §8, except its two rows on retries (see §6.8), and §9. */
export const limitChecks: Check[] = [
  inOperations('8-description', [], at255Characters),
  inOperations('8-https', [], onlyHttps),
  inOperations('8-message-lifetime', [], livesTwoToFourHours),

  inOperations('8-rate-limits-not-shown', [], async ({ service }) => {
    assertSuccess(await service.listCountries(), 'an ordinary call')
    for (let asked = 1; asked < 30; asked++) {
      const { status } = await service.listCountries()
      assert.ok(status === 200 || status === 429, `an ordinary call, many times: ${status}`)
    }
  }),

  inOperations('8-lifetimes-not-shown', ['mailbox', 'receiver'], async (world) => {
    const person = await world.createPerson()
    const { uuid } = person
    assertStatus(
      await world.service.signInWithCode(uuid, await world.askForCode(person)),
      200,
      'a code at once',
    )
    const { service_session_id: session } = await world.signIn(person)
    assertSuccess(await world.service.readUser({ session }), 'a session at once')
    for (const { data } of requireEvents(await world.allEvents(), 'cryptoToFiat', 'LIMIT_BREACHED'))
      assert.ok(z.number().safeParse(data.limit).success, 'the event names the minimum that held')
  }),

  overHttp('9-versioning-not-shown', [], async ({ call }) => {
    const read = (headers: Record<string, string>) => call('GET', '/supported/countries', undefined, headers)
    assertSuccess(await read({}), 'a call that names no version')
    assertSuccess(await read({ 'api-version': '2999-01-01' }), 'one that names a version nobody asked for')
  }),

  inOperations('9-legacy-name', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint({ subscribed_events: ['unblockBankAccount'] })
    const { subscribed_events } = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
    assert.deepEqual(subscribed_events, ['unblockBankAccount'], 'the name it keeps')
  }),
]
