import { expect, it } from 'vitest'
import { createServiceClock } from './exchange.ts'

const noon = Date.parse('2026-01-31T12:00:00Z')

it('knows nothing until an answer has said a time', () => {
  const clock = createServiceClock(() => noon)
  for (const header of [null, '', 'yesterday']) clock.read(header)
  expect(clock.offsetMs()).toBeNull()
  expect(clock.readAt()).toBeNull()
})

it('remembers how far the service’s clock is ahead or behind, as the last answer said', () => {
  const clock = createServiceClock(() => noon)
  clock.read('Tue, 10 Feb 2026 12:00:00 GMT')
  expect(clock.offsetMs()).toBe(10 * 24 * 3_600_000)
  clock.read('Sat, 31 Jan 2026 11:59:00 GMT')
  clock.read(null)
  expect(clock.offsetMs()).toBe(-60_000)
  expect(clock.readAt()).toBe(noon)
})
