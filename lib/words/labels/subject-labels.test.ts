import { expect, it } from 'vitest'
import { subjectLabel } from './subject-labels.ts'

it('calls what only companies have by that name, and leaves open what may be either', () => {
  expect(subjectLabel('entity', 'KYB')).toBe('Company')
  expect(subjectLabel('entity', 'KYC')).toBe('Person or company')
  expect(subjectLabel('transaction', 'KYB')).toBe('Transaction')
})
