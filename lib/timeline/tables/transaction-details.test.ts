import { expect, it } from 'vitest'
import { toShownDuration } from './transaction.ts'

it.each([
  ['12:35:15.100', 0.2, 1],
  ['12:35:14.900', 0.8, 0],
  ['12:35:15.900', 1.6, 1],
  ['12:36:02.048', 48.048, 48],
])(
  'of what finished at %s after %d s it says the difference of the times that are shown',
  (time, took, shown) => {
    expect(toShownDuration({ durationSeconds: took }, new Date(`2026-11-20T${time}Z`))).toBe(shown)
  },
)

it('says no duration where none is known', () => {
  expect(toShownDuration({}, new Date())).toBeNull()
  expect(toShownDuration({ durationSeconds: null }, null)).toBeNull()
})
