import { expect, test } from 'vitest'
import { BatchSize } from './batch-limits.ts'

test('a batch is halved after each timeout, and grows again step by step', () => {
  const size = new BatchSize(2_000)
  size.afterTimeout(2_000, 900)
  expect(size.current).toBe(1_000)
  size.afterTimeout(300, 20)
  expect(size.current).toBe(150)
  size.afterSuccess()
  expect(size.current).toBe(250)
  for (let n = 0; n < 30; n++) size.afterSuccess()
  expect(size.current).toBe(2_000)
})

test('a subject is given up after the third timeout on its own, one after the other', () => {
  const size = new BatchSize(2_000)
  const timeouts = [5, 1, 1, 1].map((subjects) => size.afterTimeout(4, subjects))
  expect(timeouts).toEqual([false, false, false, true])
  size.afterSuccess()
  expect([1, 1, 2, 1, 1].map((subjects) => size.afterTimeout(4, subjects))).not.toContain(true)
})
