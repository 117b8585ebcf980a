import { expect, it } from 'vitest'
import { plainSpaces } from '../../../test/plain-spaces.ts'
import { clockDifference } from './duration.ts'

it.each([
  [10 * 86_400 + 7, '10 days', true],
  [-3 * 86_400, '3 days', false],
  [12 * 60, '12\u00a0min', true],
])('a difference of %i seconds is said', (seconds, by, ahead) =>
  expect(clockDifference(seconds)).toEqual({ by, ahead }),
)

it('is said in other languages', () => {
  expect(clockDifference(10 * 86_400, 'de')?.by).toBe('10 Tage')
  expect(plainSpaces(clockDifference(12 * 60, 'es')?.by ?? '')).toBe('12 min')
})

it.each([0, 4, -299])('a difference of %i seconds is not', (seconds) =>
  expect(clockDifference(seconds)).toBeNull(),
)
