import { expect, test } from 'vitest'
import { secondsLeft } from './email-code.ts'

test.each([
  { until: 60_000, now: 0, left: 60 },
  { until: 60_400, now: 0, left: 61 },
  { until: 60_400, now: 60, left: 1 },
  { until: 60_000, now: 60, left: 0 },
  { until: 60_000, now: 900, left: 0 },
])('from second $now to $until ms are $left s', ({ until, now, left }) => {
  expect(secondsLeft(until, now)).toBe(left)
})
