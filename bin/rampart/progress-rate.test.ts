import { expect, test } from 'vitest'
import { ProgressRate } from './progress.ts'

test('shows how much is done, how fast it goes and how long it will take', () => {
  const pace = new ProgressRate()
  expect(pace.line({ done: 0, total: 9_000 }, 0)).toBe('0 of 9000 deliveries (0 %)')
  expect(pace.line({ done: 3_000, total: 9_000 }, 2_000)).toBe(
    '3000 of 9000 deliveries (33 %), 1500 a second, about 4 s left',
  )
})

test('the last ten seconds count', () => {
  const pace = new ProgressRate()
  for (const [at, done] of [
    [0, 0],
    [60_000, 600],
    [70_000, 1_600],
  ] as const)
    pace.line({ done, total: 2_000 }, at)
  expect(pace.line({ done: 1_800, total: 2_000 }, 72_000)).toContain('100 a second, about 2 s left')
})

test('a rebuild without deliveries is complete', () => {
  expect(new ProgressRate().line({ done: 0, total: 0 }, 0)).toBe('0 of 0 deliveries (100 %)')
})
