import assert from 'node:assert/strict'
import { type Check, inOperations, overHttp } from '../check.ts'
import { assertStatus, bodyOf, Session } from '../shapes.ts'

/** §4.1 */
export const signInChecks: Check[] = [
  overHttp('4.1-login-wallet-200', [], async ({ composeMessage, createPerson, call }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    const answer = await call('POST', '/auth/login', { message, signature })
    assertStatus(answer, 200, 'message and signature')
    assert.equal(bodyOf(Session, answer, 'the session').user_uuid, person.uuid, 'user_uuid')
  }),

  overHttp('4.1-login-code-204', [], async ({ createPerson, call }) => {
    const { uuid } = await createPerson()
    const answer = await call('POST', '/auth/login', { user_uuid: uuid })
    assertStatus(answer, 204, 'user_uuid alone')
    assert.equal(answer.text, '', 'the body')
  }),

  inOperations('5.2-nonce-never-reused', [], async ({ service, composeMessage, createPerson }) => {
    const person = await createPerson()
    const message = await composeMessage(person)
    const signature = await person.wallet.signMessage({ message })
    assertStatus(await service.signInWithWallet(message, signature), 200, 'the first use')
    assertStatus(await service.signInWithWallet(message, signature), 401, 'the second use')
  }),
]
