import { describe, expect, it } from 'vitest'
import { startDeadline } from './exchange.ts'

describe('a pause', () => {
  it('lasts as long as asked and says that time is left', async () => {
    const deadline = startDeadline(60_000)
    expect(await deadline.wait(20)).toBe(true)
    expect(deadline.signal.aborted).toBe(false)
    deadline.release()
  })

  it('ends at once when the time of the call is over', async () => {
    const started = performance.now()
    const deadline = startDeadline(20)
    expect(await deadline.wait(10_000)).toBe(false)
    expect(deadline.signal.aborted).toBe(true)
    expect(await deadline.wait(10_000)).toBe(false)
    expect(performance.now() - started).toBeLessThan(5_000)
    deadline.release()
  })
})
