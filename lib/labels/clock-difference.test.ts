import { expect, it } from 'vitest'
import { clockDifference } from './clock-difference.ts'

it.each([
  [10 * 86_400 + 7, /^The clocks differ by 10 days: the payment service’s is ahead\./],
  [-3 * 86_400, /^The clocks differ by 3 days: the payment service’s is behind\./],
  [12 * 60, /^The clocks differ by 12 min: /],
])('a difference of %i seconds is said', (seconds, words) => expect(clockDifference(seconds)).toMatch(words))

it.each([0, 4, -299])('a difference of %i seconds is not', (seconds) =>
  expect(clockDifference(seconds)).toBeNull(),
)
