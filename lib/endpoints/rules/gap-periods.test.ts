import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DeliveryHour, findSilence, hourLength } from './gap-periods.ts'

const week = 7 * 24 * hourLength
/** `now` begins a full hour. */
const now = 3000 * week
const minutes = (n: number) => n * 60_000

/** Each hour of a week brought the number that is given for the week; the latest week comes first. */
const weeksOf = (...perHour: number[]): DeliveryHour[] =>
  perHour.flatMap((deliveries, i) =>
    Array.from({ length: 7 * 24 }, (_, hour) => ({
      from: now - (i + 1) * week + hour * hourLength,
      deliveries,
    })),
  )

describe('silence', () => {
  it('is reported when even the quietest of the last weeks would have brought 30 deliveries', () => {
    expect(findSilence(now, now + minutes(30), weeksOf(90, 60, 70, 80))).toEqual({ expected: 30, weeks: 4 })
    expect(findSilence(now, now + minutes(29), weeksOf(90, 60, 70, 80))).toBeNull()
  })

  it('is not reported with less than three weeks of history for these hours', () => {
    expect(findSilence(now, now + minutes(30), weeksOf(90, 60, 70))).toEqual({ expected: 30, weeks: 3 })
    expect(findSilence(now, now + minutes(30), weeksOf(90, 60))).toBeNull()
    expect(findSilence(now, now + minutes(30), [])).toBeNull()
  })

  it('lasts at least 15 minutes', () => {
    expect(findSilence(now, now + minutes(15) - 1, weeksOf(9e6, 9e6, 9e6, 9e6))).toBeNull()
    expect(findSilence(now, now + minutes(15), weeksOf(9e6, 9e6, 9e6, 9e6))).not.toBeNull()
  })

  it('adds up hours, each by the part that the silence covers', () => {
    const pace = weeksOf(20, 20, 20, 20)
    expect(findSilence(now + minutes(30), now + minutes(119), pace)).toBeNull()
    expect(findSilence(now + minutes(30), now + minutes(120), pace)).toEqual({ expected: 30, weeks: 4 })
  })

  it('is not reported at night when nothing ever comes at night', () => {
    const pace = weeksOf(90, 90, 90, 90).map((each) =>
      new Date(each.from).getUTCHours() < 6 ? { ...each, deliveries: 0 } : each,
    )
    const midnight = now - (now % (24 * hourLength))
    expect(findSilence(midnight, midnight + 6 * hourLength, pace)).toBeNull()
  })

  it('stays reported until the next delivery', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 3, maxLength: 4 })
    fc.assert(
      fc.property(counts, fc.nat(600), fc.nat(600), (perHour, first, more) => {
        const pace = weeksOf(...perHour)
        const [early, late] = [first, first + more].map((n) => findSilence(now, now + minutes(n), pace))
        expect(early !== null && late === null).toBe(false)
      }),
    )
  })
})
