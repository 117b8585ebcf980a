import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Check, type CheckContext, inOperations, overHttp } from '../kit/check-context.ts'
import { assertAccepted, assertRefused, assertStatus, assertSuccess } from '../kit/shapes.ts'

const collection = '/merchant/webhook-endpoints'
const shareToken = '/user/kyc/applicant/share-token'

/** §5.1 and §5.4 define these rules. */
export const credentialChecks: Check[] = [
  overHttp('5.1-1-every-call', [], async ({ call }) => {
    const id = randomUUID()
    const calls = [
      ['POST', '/auth/login', { user_uuid: id }],
      ['POST', '/auth/otp/', { user_uuid: id, one_time_password: '000000' }],
      ['POST', '/user', {}],
      ['GET', '/user'],
      ['POST', shareToken, {}],
      ['GET', '/supported/countries'],
      ['POST', collection, {}],
      ['GET', collection],
      ['GET', `${collection}/${id}`],
      ['PATCH', `${collection}/${id}`, { status: 'active' }],
      ['PATCH', `${collection}/${id}/secret`],
      ['DELETE', `${collection}/${id}`],
    ] as const
    // ASSUMED: 401, as for a session (§7 does not say).
    for (const [method, path, body] of calls)
      assertStatus(
        await call(method, path, body, { authorization: null }),
        401,
        `${method} ${path} without it`,
      )
  }),

  overHttp('5.1-1-raw-key', [], async ({ call, apiKey }) => {
    const read = (authorization: string) => call('GET', '/supported/countries', undefined, { authorization })
    assertSuccess(await read(apiKey), 'the raw key')
    for (const scheme of ['Bearer', 'API-Key', 'Basic'])
      assertStatus(await read(`${scheme} ${apiKey}`), 401, `the key behind ${scheme}`)
  }),

  inOperations('5.1-2-session-header', [], async ({ createPerson, signIn, service }) => {
    const { service_session_id } = await signIn(await createPerson())
    assertSuccess(await service.readUser({ session: service_session_id }), 'GET /user')
  }),

  inOperations('5.1-3-user-uuid-header', [], async ({ createPerson, service }) => {
    assertSuccess(await service.readUser({ userUuid: (await createPerson()).uuid }), 'GET /user')
  }),

  inOperations('5.1-merchant-scoped', [], async ({ service, serviceWithKey }) => {
    assertSuccess(await service.listCountries(), 'countries with the key alone')
    assertSuccess(await service.listEndpoints(), 'GET /merchant/* with the key alone')
    assertStatus(await serviceWithKey(randomUUID()).listCountries(), 401, 'countries with another key')
  }),

  overHttp('5.1-user-read', [], async ({ call, createPerson, signIn }) => {
    const person = await createPerson()
    const { service_session_id: session } = await signIn(person)
    const read = (headers: Record<string, string>) => call('GET', '/user', undefined, headers)
    assertSuccess(await read({ 'service-session-id': session }), 'with the session')
    assertSuccess(await read({ 'user-uuid': person.uuid }), 'with user-uuid')
    assertRefused(await read({}), 'with neither')
  }),

  overHttp('5.1-user-write', [], async (world) => {
    const session = await sessionOf(world)
    // The document names no other write for a user.
    assertAccepted(await world.call('POST', shareToken, {}, { 'service-session-id': session }), 'with it')
    assertRefused(await world.call('POST', shareToken, {}), 'without it')
    assertStatus(
      await world.call('POST', shareToken, {}, { 'service-session-id': 'made-up' }),
      401,
      'made up',
    )
  }),

  overHttp('5.1-share-token', [], async ({ call, createPerson, signIn }) => {
    const person = await createPerson()
    const { service_session_id: session } = await signIn(person)
    const write = (headers: Record<string, string>) => call('POST', shareToken, {}, headers)
    assertAccepted(await write({ 'service-session-id': session }), 'with the session')
    assertAccepted(await write({ 'user-uuid': person.uuid }), 'with user-uuid')
    assertRefused(await write({}), 'with neither')
  }),

  inOperations('5.1-webhook-management', [], async ({ createEndpoint, service, serviceWithKey }) => {
    const { uuid } = await createEndpoint()
    const other = serviceWithKey(randomUUID())
    const change = { status: 'disabled' } as const
    const endpoint = { url: 'https://receiver.example/hook', description: 'Conformance' }
    assertStatus(await other.createEndpoint(endpoint), 401, 'create with another key')
    assertStatus(await other.listEndpoints(), 401, 'list with another key')
    assertStatus(await other.readEndpoint(uuid), 401, 'get with another key')
    assertStatus(await other.updateEndpoint(uuid, change), 401, 'update with another key')
    assertStatus(await other.rotateSecret(uuid), 401, 'rotate with another key')
    assertStatus(await other.deleteEndpoint(uuid), 401, 'delete with another key')
    assertSuccess(await service.listEndpoints(), 'list with the key alone')
    assertSuccess(await service.readEndpoint(uuid), 'get with the key alone')
    assertSuccess(await service.updateEndpoint(uuid, change), 'update with the key alone')
    assertSuccess(await service.rotateSecret(uuid), 'rotate with the key alone')
    assertSuccess(await service.deleteEndpoint(uuid), 'delete with the key alone')
  }),

  inOperations('5.4-1-opaque', [], async ({ createPerson, signIn }) => {
    const person = await createPerson()
    const { service_session_id: id } = await signIn(person)
    const reported = [id, Buffer.from(id, 'base64').toString(), Buffer.from(id, 'hex').toString()]
    for (const secret of [person.uuid, person.email, person.wallet.address])
      assert.ok(!reported.some((text) => text.includes(secret)), 'it says nothing of whom it is')
  }),

  inOperations('5.4-1-expired', ['clock'], refusesExpiredSession),

  inOperations('5.4-1-invalid', [], async (world) => {
    await sessionOf(world)
    assertStatus(await world.service.readUser({ session: 'made-up' }), 401, 'a session made up')
  }),

  overHttp('5.4-2-no-refresh', [], async (world) => {
    const headers = { 'service-session-id': await sessionOf(world) }
    for (const path of ['/auth/refresh', '/auth/session', '/auth/session/refresh', '/auth/token'])
      assertStatus(await world.call('POST', path, {}, headers), 404, `POST ${path}`)
  }),

  overHttp('5.4-2-no-logout', [], async (world) => {
    const session = await sessionOf(world)
    const headers = { 'service-session-id': session }
    for (const [method, path] of [
      ['POST', '/auth/logout'],
      ['DELETE', '/auth/session'],
      ['DELETE', '/auth/login'],
    ] as const)
      assertRefused(await world.call(method, path, undefined, headers), `${method} ${path}`)
    assertSuccess(await world.service.readUser({ session }), 'the session, thereafter')
  }),

  inOperations('5.4-2-sign-in-again', [], async ({ createPerson, signIn, service }) => {
    const person = await createPerson()
    const [first, second] = [await signIn(person), await signIn(person)]
    assert.notEqual(first.service_session_id, second.service_session_id, 'two sessions')
    assertSuccess(await service.readUser({ session: second.service_session_id }), 'the new one')
  }),

  overHttp('5.4-3-backend-only', [], async ({ call, apiKey, createPerson, composeMessage }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    const origin = { origin: 'https://merchant.example' }
    const answers = [
      await call('POST', '/auth/login', { message, signature }, origin),
      await call('OPTIONS', '/auth/login', undefined, {
        ...origin,
        authorization: apiKey,
        'access-control-request-method': 'POST',
      }),
    ]
    for (const { headers } of answers) {
      assert.equal(headers.get('access-control-allow-origin'), null, 'leave for pages to call it')
      assert.equal(headers.get('set-cookie'), null, 'a cookie for browsers to keep')
    }
  }),

  inOperations('5.4-3-revoked-key', [], async ({ serviceWithKey }) => {
    assertStatus(await serviceWithKey(randomUUID()).listEndpoints(), 401, 'a key that is not valid')
  }),
]

/** §5.4, §7. ASSUMED: no session lives longer than a week. */
export async function refusesExpiredSession(world: CheckContext) {
  const session = await sessionOf(world)
  assertSuccess(await world.service.readUser({ session }), 'before it expires')
  await world.control.advance(8 * 86_400)
  assertStatus(await world.service.readUser({ session }), 401, 'eight days later')
}

const sessionOf = async ({ createPerson, signIn }: CheckContext) =>
  (await signIn(await createPerson())).service_session_id
