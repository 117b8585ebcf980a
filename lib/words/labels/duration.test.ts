import { expect, it } from 'vitest'
import { plainSpaces } from '../../../test/plain-spaces.ts'
import { formatSpan } from './duration.ts'

it.each([
  ['en', 'less than 1 s', '2 min 5 s'],
  ['de', 'weniger als 1 Sek.', '2 Min. 5 Sek.'],
  ['es', 'menos de 1 s', '2 min 5 s'],
  ['fr', 'moins de 1 s', '2 min 5 s'],
  ['pt', 'menos de 1 s', '2 min 5 s'],
] as const)('says in %s how long something took', (language, short, long) => {
  expect(plainSpaces(formatSpan(0.4, language))).toBe(short)
  expect(plainSpaces(formatSpan(125, language))).toBe(long)
})
