import { expect, it } from 'vitest'
import { createServiceClock } from './exchange.ts'

const noon = Date.parse('2026-01-31T12:00:00Z')

it('knows nothing until an answer has said a time', () => {
  const clock = createServiceClock(() => noon)
  for (const header of [null, '', 'yesterday']) clock.read(header)
  expect(clock.offsetMs()).toBeNull()
  expect(clock.offsetMs(60_000)).toBeNull()
})

it('remembers how far the service’s clock is ahead or behind, as the last answer said', () => {
  const clock = createServiceClock(() => noon)
  clock.read('Tue, 10 Feb 2026 12:00:00 GMT')
  expect(clock.offsetMs()).toBe(10 * 24 * 3_600_000)
  clock.read('Sat, 31 Jan 2026 11:59:00 GMT')
  clock.read(null)
  expect(clock.offsetMs()).toBe(-60_000)
  expect(clock.offsetMs(60_000)).toBe(-60_000)
})

it.each([-3_600_000, 0, 3_600_000])(
  'says nothing of an answer that is too old, also when this clock was set by %s ms since',
  (step) => {
    const time = { now: noon, elapsed: 5_000 }
    const clock = createServiceClock(
      () => time.now,
      () => time.elapsed,
    )
    clock.read('Sat, 31 Jan 2026 11:59:00 GMT')
    const after = (ms: number) => {
      time.now = noon + step + ms
      time.elapsed = 5_000 + ms
      return [clock.offsetMs(60_000), clock.offsetMs()]
    }
    expect([after(0), after(60_000), after(60_001)]).toEqual([
      [-60_000, -60_000],
      [-60_000, -60_000],
      [null, -60_000],
    ])
    clock.read('Sat, 31 Jan 2026 12:00:00 GMT')
    expect(after(60_001)[0]).toBe(-step - 60_001)
  },
)
