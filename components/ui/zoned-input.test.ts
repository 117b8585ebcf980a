import { expect, it } from 'vitest'
import { fromZonedInput, toZonedInput } from './zoned-input.ts'

it.each([
  ['2026-11-20T09:30Z', 'UTC', '2026-11-20T09:30'],
  ['2026-11-20T09:30Z', 'Europe/Berlin', '2026-11-20T10:30'],
  ['2026-07-20T09:30Z', 'Europe/Berlin', '2026-07-20T11:30'],
  ['2026-11-20T00:10Z', 'America/Sao_Paulo', '2026-11-19T21:10'],
  ['2026-11-20T20:00Z', 'Asia/Kathmandu', '2026-11-21T01:45'],
  // The hour before and the hour after the clocks change.
  ['2026-03-29T00:30Z', 'Europe/Berlin', '2026-03-29T01:30'],
  ['2026-03-29T01:30Z', 'Europe/Berlin', '2026-03-29T03:30'],
])('%s is in %s what stands in the field as %s, and back', (at, zone, text) => {
  expect(toZonedInput(at, zone)).toBe(text)
  expect(fromZonedInput(text, zone)).toBe(at)
})

it('reads no time from what is none', () => {
  for (const text of ['', 'x', '2026-11-20', '2026-13-20T09:30'])
    expect(fromZonedInput(text, 'UTC')).toBeNull()
  expect(toZonedInput('yesterday', 'UTC')).toBe('')
})
