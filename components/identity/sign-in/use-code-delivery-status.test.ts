import { expect, test } from 'vitest'
import { nextCheckAfter } from './email-code.ts'

/** The results are the seconds after the first question, when each is answered at once. */
function checks(): number[] {
  const at = [0]
  for (;;) {
    const next = nextCheckAfter(at.length)
    if (next === false) return at
    at.push((at.at(-1) ?? 0) + next / 1_000)
  }
}

test('a code that bounced within three minutes is reported within 1.5 s', () => {
  const waits = checks().map((at, each, all) => ({ at, wait: (all[each + 1] ?? Infinity) - at }))
  expect(waits.filter(({ at, wait }) => at < 180 && wait > 1.5)).toEqual([])
})

test('the status is asked for ten minutes, and three tabs of one address stay within the limit', () => {
  const all = checks()
  expect(all.at(-1)).toBeGreaterThan(595)
  expect(all.at(-1)).toBeLessThanOrEqual(605)
  expect(all.length * 3).toBeLessThanOrEqual(600)
})
