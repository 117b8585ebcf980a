import assert from 'node:assert/strict'
import { type Check, inOperations, overHttp } from '../kit/check.ts'
import { assertRefused, assertStatus, bodyOf, SessionSchema } from '../kit/shapes.ts'

/** §4.1, §5.3 */
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
