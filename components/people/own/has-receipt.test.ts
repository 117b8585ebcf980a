import { expect, test } from 'vitest'
import { hasReceipt } from './own-money-card.tsx'

test.each([
  ['succeeded', 'SUCCESS', false, true],
  ['was refunded', 'REFUNDED', false, true],
  ['failed', 'FAILED', false, false],
  ['still moves', 'IN_PROGRESS', false, false],
  ['is said to have ended in two ways', 'SUCCESS', true, false],
  ['has no step', null, false, false],
])('knows whether a transaction that %s has a receipt', (_which, step, conflict, has) => {
  expect(hasReceipt({ step, conflict })).toBe(has)
})
