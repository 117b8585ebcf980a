import { describe, expect, it } from 'vitest'
import { startDeadline } from './deadline.ts'

describe('a pause', () => {
  it('lasts as long as asked and says that time is left', async () => {
    const deadline = startDeadline(60_000, undefined)
    expect(await deadline.pause(20)).toBe(true)
    expect(deadline.endedBy()).toBeNull()
    deadline.release()
  })

  it.each<['timed-out' | 'cancelled', number, number]>([
    ['timed-out', 20, 60_000],
    ['cancelled', 60_000, 20],
  ])('ends at once when the call is %s', async (why, timeoutMs, cancelMs) => {
    const started = performance.now()
    const deadline = startDeadline(timeoutMs, AbortSignal.timeout(cancelMs))
    expect(await deadline.pause(10_000)).toBe(false)
    expect(deadline.endedBy()).toBe(why)
    expect(await deadline.pause(10_000)).toBe(false)
    expect(performance.now() - started).toBeLessThan(5_000)
    deadline.release()
  })
})
