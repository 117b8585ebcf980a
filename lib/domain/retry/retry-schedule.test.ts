import { describe, expect, it } from 'vitest'
import { matchRetrySpan, retryWaits, retryWindowSeconds } from './retry-schedule.ts'

describe('the retry schedule', () => {
  it('has the waits of §6.8', () => {
    expect(retryWaits).toEqual([3, 66, 731, 4098, 15627, 46658])
  })

  it('ends 18 h 40 min after the first attempt, not counting time-outs', () => {
    expect(retryWaits.reduce((sum, wait) => sum + wait)).toBe(18 * 3600 + 39 * 60 + 43)
    expect(retryWindowSeconds).toBeGreaterThan(18 * 3600 + 40 * 60)
    expect(retryWindowSeconds).toBeLessThan(18 * 3600 + 45 * 60)
  })

  it.each([
    [0.9, null],
    [1, { from: 1, retries: 1 }],
    [3, { from: 1, retries: 1 }],
    [38, { from: 1, retries: 1 }],
    [38.1, null],
    [63.9, null],
    [64, { from: 2, retries: 1 }],
    [66, { from: 2, retries: 1 }],
    [69, { from: 1, retries: 2 }],
    [130, { from: 1, retries: 2 }],
    [731, { from: 3, retries: 1 }],
    [797, { from: 2, retries: 2 }],
    [800, { from: 1, retries: 3 }],
    [900, null],
    [4098, { from: 4, retries: 1 }],
    [46_658 + 46.658 + 32 + 3, { from: 6, retries: 1 }],
    [67_183, { from: 1, retries: 6 }],
    [67_183 + 67.183 + 6 * 32 + 3.1, null],
  ])('explains %d s by %j', (seconds, run) => {
    const found = matchRetrySpan(seconds)
    expect(found && { from: found.from, retries: found.retries }).toEqual(run)
  })
})
