import { describe, expect, it } from 'vitest'
import {
  isSingleWait,
  isSingleWaitOfPatientSender,
  longestRetryWaitSeconds,
  matchRetrySpan,
  mayBeRetriesApart,
  retriesAfterGap,
  retrySpan,
  retryWaits,
  retryWindowSeconds,
} from './retry-schedule.ts'

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
    [67, { from: 2, retries: 1 }],
    [67.5, { from: 1, retries: 2 }],
    [68, { from: 1, retries: 2 }],
    [69, { from: 1, retries: 2 }],
    [130, { from: 1, retries: 2 }],
    [731, { from: 3, retries: 1 }],
    [797, { from: 2, retries: 2 }],
    [800, { from: 1, retries: 3 }],
    [900, null],
    [4098, { from: 4, retries: 1 }],
    [46_658 + 46.658 + 32 + 3, { from: 6, retries: 1 }],
    [46_658 + 46.658 + 32 + 3.1, null],
    [67_183, { from: 1, retries: 6 }],
    [67_183 + 67.183 + 6 * 32 + 3.1, null],
  ])('explains %d s by %j', (seconds, run) => {
    const found = matchRetrySpan(seconds)
    expect(found && { from: found.from, retries: found.retries }).toEqual(run)
  })

  it.each([1, 2, 3, 4, 5, 6])('accepts times within the bounds of wait %i as a single wait', (retry) => {
    const { earliest, latest } = retrySpan(retry, 1)
    expect([earliest, latest].map((seconds) => isSingleWait(seconds))).toEqual([true, true])
    expect([earliest - 0.001, latest + 0.001].map((seconds) => isSingleWait(seconds))).toEqual([false, false])
    expect(isSingleWaitOfPatientSender(latest + 32)).toBe(true)
    // An attempt that is a little late for the first wait may be the second.
    expect(isSingleWaitOfPatientSender(latest + 32.001)).toBe(retry === 1)
  })

  it('does not accept two waits as a single one', () => {
    expect(isSingleWait(130)).toBe(false)
    expect(isSingleWait(731 + 66)).toBe(false)
  })

  it.each([
    [0, true],
    [40, true],
    [63, true],
    [136, true],
    [137, false],
    [700, false],
    [731, true],
    [900, false],
    [67_183, true],
    [80_000, false],
  ])('two endpoints get one event %i s apart: %s', (seconds, may) => {
    expect(mayBeRetriesApart(seconds)).toBe(may)
  })

  it.each([
    [0, 3 + 32],
    [2.9, 3 + 32],
    [3, 66 + 32],
    [68, 66 + 32],
    [69, 731 + 32],
    [799, 731 + 32],
    [67_182, 46_658 + 32],
    [67_183, null],
  ])('after a gap of %d s retries come for %j s', (gap, seconds) => {
    expect(retriesAfterGap(gap)).toBe(seconds)
  })

  it('knows the longest wait for an attempt', () => {
    expect(longestRetryWaitSeconds).toBe(46_658 + 32)
  })
})
