import { expect, it } from 'vitest'
import {
  CursorRefused,
  InvalidInput,
  NotAllowed,
  NotSignedIn,
  onRefusal,
  Refused,
  SignInAgain,
} from './refusals.ts'

it.each([
  [new NotSignedIn(), 401, 'signed-out'],
  [new SignInAgain(), 401, 'signed-out'],
  [new NotAllowed(), 403, 'refused'],
  [new CursorRefused(), 400, 'refused'],
  [new InvalidInput({ name: 'It is taken.' }), 422, 'invalid'],
  [new Refused('no-mail-server'), 409, 'refused'],
] as const)('says how %o is answered', (refusal, status, state) => {
  expect(refusal.answer).toEqual({ status, state })
})

it('answers one kind of refusal, and throws any other error', async () => {
  const nothingThere = onRefusal(CursorRefused, () => null)
  await expect(Promise.reject(new CursorRefused()).catch(nothingThere)).resolves.toBeNull()
  for (const other of [new NotAllowed(), new TypeError('x is not a function')])
    await expect(Promise.reject(other).catch(nothingThere)).rejects.toBe(other)
})
