import { describe, expect, it } from 'vitest'
import { afterAttempt, retryDelaySeconds } from './retry-schedule.ts'

describe('§6.8, the retry schedule', () => {
  it('waits n^6 + 2 seconds before retry n', () => {
    expect([1, 2, 3, 4, 5, 6].map(retryDelaySeconds)).toEqual([3, 66, 731, 4_098, 15_627, 46_658])
  })

  it('attempts seven times and no more', () => {
    const fates = [1, 2, 3, 4, 5, 6, 7].map((number) => afterAttempt(number, false))
    expect(fates.slice(0, 6)).toEqual(
      [3, 66, 731, 4_098, 15_627, 46_658].map((delaySeconds) => ({ state: 'waiting', delaySeconds })),
    )
    expect(fates[6]).toEqual({ state: 'lost' })
  })

  it.each([1, 4, 7])('is done when attempt %i succeeds', (number) => {
    expect(afterAttempt(number, true)).toEqual({ state: 'delivered' })
  })
})
