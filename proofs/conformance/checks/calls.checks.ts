import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Check, inOperations, overHttp } from '../kit/check.ts'
import {
  assertAccepted,
  assertRefused,
  assertStatus,
  assertSuccess,
  bodyOf,
  ReadUserSchema,
} from '../kit/shapes.ts'

/** §4, §4.3 */
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
    // §1 names a configuration too, and no path to it.
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
