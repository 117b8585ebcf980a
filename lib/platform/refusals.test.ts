import { expect, it } from 'vitest'
import { languages } from '#lib/platform/rules/language.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import {
  CursorRefused,
  InvalidInput,
  NotAllowed,
  NotSignedIn,
  onRefusal,
  Refused,
  SignInAgain,
  TooMany,
  waitTime,
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

it.each([
  [1, ['1 second', '1 Sekunde', '1 segundo', '1 seconde', '1 segundo']],
  [2, ['2 seconds', '2 Sekunden', '2 segundos', '2 secondes', '2 segundos']],
  [91, ['2 minutes', '2 Minuten', '2 minutos', '2 minutes', '2 minutos']],
])('words a wait of %d s in each language', (seconds, expected) => {
  const refusal = new TooMany('too-many-requests', { wait: waitTime(seconds) })
  const next = languages.map((language) => wordRefusal(language, refusal).next)
  for (const [at, wait] of expected.entries()) expect(next[at]).toMatch(new RegExp(`${wait}\\b`))
})
