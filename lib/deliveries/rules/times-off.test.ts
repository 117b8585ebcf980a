import { expect, it } from 'vitest'
import { timesOff } from './endpoint-states.ts'

const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, '0')}:00.000Z`

/** The endpoint was seen in these states from these minutes on. The latest comes first. */
function seen(...states: readonly (readonly [minute: number, status: string])[]) {
  return states
    .map(([minute, status], index) => {
      const next = states[index + 1]
      return {
        status,
        after: index > 0 ? at(minute - 1) : null,
        by: at(minute),
        until: next ? at(next[0]) : null,
      }
    })
    .toReversed()
}

it('joins a time off by the service and a time off by a person', () => {
  const states = seen([0, 'active'], [5, 'auto_disabled'], [8, 'disabled'])
  expect(timesOff(states)).toEqual([{ from: at(4), until: null }])
  expect(timesOff(seen([0, 'active'], [5, 'auto_disabled'], [8, 'disabled'], [9, 'active']))).toEqual([
    { from: at(4), until: at(9) },
  ])
})

it('lists each time separately, the latest first', () => {
  const states = seen([0, 'active'], [5, 'disabled'], [8, 'active'], [20, 'auto_disabled'], [30, 'active'])
  expect(timesOff(states)).toEqual([
    { from: at(19), until: at(30) },
    { from: at(4), until: at(8) },
  ])
})

it('begins with the first round that saw an endpoint which was never seen active', () => {
  expect(timesOff(seen([3, 'disabled'], [7, 'active']))).toEqual([{ from: at(3), until: at(7) }])
  expect(timesOff(seen([3, 'active']))).toEqual([])
})
