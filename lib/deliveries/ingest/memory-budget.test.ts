import { expect, test } from 'vitest'
import { openMemoryBudget } from './limits.ts'

test('bodies beyond the memory budget are refused until others have released theirs', () => {
  const budget = openMemoryBudget(100)
  const first = budget.reserve()
  const second = budget.reserve()
  expect(first.grow(30)).toBe(true)
  expect(first.grow(30)).toBe(true)
  expect(second.grow(60)).toBe(false)
  expect(second.grow(40)).toBe(true)
  first.release()
  expect(second.grow(60)).toBe(true)
  second.release()
  expect(budget.reserve().grow(100)).toBe(true)
})
