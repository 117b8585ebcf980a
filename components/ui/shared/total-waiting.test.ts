import { expect, it } from 'vitest'
import { totalWaiting } from './total-label.ts'

it.each([
  [{ count: 12, exact: true }, 0, '12 companies'],
  [{ count: 13, exact: true }, 1, '13 companies, 1 waits above'],
  [{ count: 1_000, exact: false, atLeast: true }, 2, 'More than 1,000 companies, 2 wait above'],
  [{ count: 41_000, exact: false }, 0, 'About 41,000 companies'],
] as const)('of %j, of which %i wait above the list, it shows %s', (total, waiting, words) => {
  expect(totalWaiting(total, ['company', 'companies'], waiting)).toBe(words)
})
