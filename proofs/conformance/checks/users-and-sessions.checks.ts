import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Check, inOperations, overHttp } from '../kit/check-context.ts'
import {
  assertRefused,
  assertStatus,
  assertSuccess,
  bodyOf,
  NamedUserSchema,
  ReadUserSchema,
} from '../kit/shapes.ts'

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
