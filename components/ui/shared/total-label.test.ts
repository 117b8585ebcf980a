import { expect, it } from 'vitest'
import { totalLabel } from './total-label.ts'

it.each([
  [{ count: 0, exact: true }, '0 transactions'],
  [{ count: 1, exact: true }, '1 transaction'],
  [{ count: 1_000, exact: true }, '1,000 transactions'],
  [{ count: 41_000, exact: false }, 'About 41,000 transactions'],
  [{ count: 1_000, exact: false, atLeast: true }, 'More than 1,000 transactions'],
  [{ count: 14, exact: false, atLeast: true }, 'At least 14 transactions'],
] as const)('%j reads %s', (total, label) => {
  expect(totalLabel(total)).toBe(label)
})

it('the counted things have their own name', () => {
  expect(totalLabel({ count: 1, exact: true }, ['company', 'companies'])).toBe('1 company')
  expect(totalLabel({ count: 2, exact: true }, ['company', 'companies'])).toBe('2 companies')
})
