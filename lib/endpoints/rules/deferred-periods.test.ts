import { describe, expect, it } from 'vitest'
import { deferredGapOf, deferredPeriods } from './gap-periods.ts'

const s = 1_000
const minute = 60 * s
const hour = 60 * minute

describe('periods in which deliveries were deferred', () => {
  it('are separate when no retry of the first can fall into the second', () => {
    const minutes = [
      { first: 0, last: 0 },
      { first: 36 * s, last: 36 * s },
    ]
    expect(deferredPeriods(minutes)).toEqual([
      { began: 0, ended: 0, retriesEndAt: 35 * s },
      { began: 36 * s, ended: 36 * s, retriesEndAt: 71 * s },
    ])
  })

  it('are joined when a retry may have met both, and extend the time of the next retry', () => {
    const minutes = [
      { first: 0, last: 5 * minute },
      { first: 17 * minute, last: 17 * minute },
    ]
    expect(deferredPeriods(minutes)).toEqual([
      { began: 0, ended: 17 * minute, retriesEndAt: 17 * minute + (4_098 + 32) * s },
    ])
  })

  it('leave some deliveries without another attempt when they are as long as the whole retry schedule', () => {
    const minutes = Array.from({ length: 20 }, (_, n) => ({ first: n * hour, last: n * hour + 59 * minute }))
    expect(deferredPeriods(minutes)).toEqual([
      { began: 0, ended: 19 * hour + 59 * minute, retriesEndAt: null },
    ])
  })
})

describe('the gap of a deferred period', () => {
  const time = { began: 0, ended: 5 * minute, retriesEndAt: 5 * minute + 763 * s }
  const short = { began: 0, ended: 10 * s, retriesEndAt: 10 * s + 98 * s }
  const never = { lastTaken: null, open: true, now: 6 * minute }
  const taken = { lastTaken: 6 * minute, open: true, now: 10 * minute }

  it.each([
    ['lasts until something is taken again', time, never, { began: 0, ended: null }],
    ['is over when something was, until its retries have come', time, taken, { began: 0, ended: 5 * minute }],
    ['is nothing once they have', time, { ...taken, now: hour }, null],
    [
      'lasts while others are taken beside it',
      time,
      { ...taken, lastTaken: 5.5 * minute, now: 6 * minute },
      { began: 0, ended: null },
    ],
    ['is not reported when it was short and something was taken since', short, taken, null],
    [
      'is not reported when it was short and its retries have not come due',
      short,
      { ...never, now: 100 * s },
      null,
    ],
    [
      'is reported when it was short and nothing came when it was due',
      short,
      never,
      { began: 0, ended: null },
    ],
    [
      'stays when some had their last attempt',
      { ...time, ended: 20 * hour, retriesEndAt: null },
      { ...taken, lastTaken: 21 * hour, now: 48 * hour },
      { began: 0, ended: 20 * hour },
    ],
    ['ends with its receiver', time, { ...never, open: false }, { began: 0, ended: 5 * minute }],
  ])('%s', (_name, given, known, reported) => {
    expect(deferredGapOf(given, known)).toEqual(reported)
  })
})
