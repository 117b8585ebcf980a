import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paceAt, paceOfSeconds, secondsOfPace } from '#lib/timeline/rules/transaction-counts.ts'

test('a duration has an error of at most a twentieth, whatever the durations were', () => {
  const times = fc.array(fc.double({ min: 0.1, max: 10_000_000, noNaN: true }), {
    minLength: 1,
    maxLength: 60,
  })
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.95), (seconds, share) => {
      const counts = new Map<number, number>()
      for (const time of seconds) {
        const pace = paceOfSeconds(time)
        counts.set(pace, (counts.get(pace) ?? 0) + 1)
      }
      const exact = seconds.toSorted((a, b) => a - b)[Math.ceil(seconds.length * share) - 1] ?? 0
      const read = secondsOfPace(paceAt(counts, share) ?? Number.NaN)
      expect(Math.abs(read / exact - 1)).toBeLessThan(0.05)
    }),
  )
})

test('an empty count has no pace, and counts of 0 are ignored', () => {
  expect(paceAt(new Map(), 0.5)).toBeNull()
  expect(paceAt(new Map([[3, 0]]), 0.5)).toBeNull()
  expect(
    paceAt(
      new Map([
        [3, 0],
        [5, 2],
      ]),
      0.5,
    ),
  ).toBe(5)
})
