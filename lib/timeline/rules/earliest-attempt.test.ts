import { describe, expect, it } from 'vitest'
import { earliestAttempt } from './delivery-evidence.ts'

const outage = { began: 1_000_000, ended: 1_900_000 }

describe('the earliest time of the first attempt', () => {
  it.each([
    ['nothing explains what came before any outage', 900_000, null],
    ['the third wait, 400 s after its end', 2_300_000, 1_400_200],
    ['one wait after the end of an outage', 1_903_000, 1_003_200],
    ['the fourth wait after an outage of a quarter of an hour', 1_800_000 + 4_098_000, 1_000_000],
    ['nothing explains what came a day later', 90_000_000, null],
  ])('%s', (_, receivedAt, expected) => {
    expect(earliestAttempt(receivedAt, [outage])).toBe(expected)
  })

  const second = 1_000
  const t = 100_000 * second
  const ago = (began: number, ended: number) => ({ began: t - began * second, ended: t - ended * second })

  it.each([
    ['not by an outage in which the first attempt failed and the last did not', [ago(850, 810)], null],
    ['not by one in which the last attempt failed and the first did not', [ago(740, 735)], null],
    ['by two outages, one for the first attempt and one for the last', [ago(850, 810), ago(740, 735)], 850],
    ['from the earliest of several outages', [ago(820, 815), ago(850, 840), ago(740, 735)], 850],
    ['by an outage for all, although an earlier one explains only the last', [ago(38, 2), ago(66, 65)], 38],
    ['by an outage that ends as early as the wait may have begun', [ago(50, 38.003)], 38.003],
    ['not by one that ends before that', [ago(50, 38.004)], null],
    ['by an outage that begins as late as the wait may have begun', [ago(1, 0.5)], 1],
    ['not by one that begins after that', [ago(0.999, 0)], null],
    ['by no more than six retries', [ago(0.5, 0), ago(67_200, 67_190)], null],
  ])('is explained %s', (_, outages, seconds) => {
    expect(earliestAttempt(t, outages)).toBe(seconds === null ? null : t - seconds * second)
  })

  it('is never earlier than the outage, nor than the retry waits allow', () => {
    expect(earliestAttempt(1_903_000, [{ began: 0, ended: 1_900_000 }])).toBeGreaterThan(0)
    expect(earliestAttempt(1_010_000, [{ began: 1_005_000, ended: 1_006_000 }])).toBe(1_005_000)
  })

  it('is null when no retry wait leads back into an outage', () => {
    expect(earliestAttempt(1_060_000, [{ began: 1_000_000, ended: 1_010_000 }])).toBeNull()
  })

  it('connects two outages', () => {
    // The first attempt failed in one outage, the second 3 s later in the other, and the third a wait of 66 s after that.
    const troubles = [
      { began: 1_000_000, ended: 1_001_000 },
      { began: 1_003_500, ended: 1_004_500 },
    ]
    expect(earliestAttempt(1_070_000, troubles)).toBe(1_000_000)
    expect(earliestAttempt(1_070_000, [])).toBeNull()
  })
})
