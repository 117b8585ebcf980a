import { expect, it } from 'vitest'
import type { SeenState } from '#lib/endpoints/endpoint-states.ts'
import { foreignChanges } from './history-card.tsx'

const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, '0')}:00.000Z`
const disabled: SeenState = { status: 'disabled', after: at(5), by: at(6), until: null }
const foreign = { ...disabled, surelyForeign: true }
const change = (minute: number, outcome = 'done') => ({
  at: at(minute),
  action: 'endpoint.set-status',
  outcome,
})

it('leaves out a change that was asked for here at the same time', () => {
  expect(foreignChanges([disabled], [change(5)], false)).toEqual([])
  expect(foreignChanges([disabled], [change(6, 'unsure')], false)).toEqual([])
})

it('names a change that nobody made here, and one that was refused here', () => {
  expect(foreignChanges([disabled], [], false)).toEqual([foreign])
  expect(foreignChanges([disabled], [change(3)], false)).toEqual([foreign])
  expect(foreignChanges([disabled], [change(5, 'refused')], false)).toEqual([foreign])
})

it('names every time that the service disabled it, but not its first known status', () => {
  const off: SeenState = { ...disabled, status: 'auto_disabled' }
  expect(foreignChanges([off, { ...disabled, after: null }], [change(5)], true)).toEqual([
    { ...off, surelyForeign: true },
  ])
})

it('says that nobody here asked for it only when the loaded changes reach back to it', () => {
  const surely = (oldest: number, earlier: boolean) =>
    foreignChanges([disabled], [change(9), change(oldest, 'refused')], earlier).map(
      ({ surelyForeign }) => surelyForeign,
    )
  expect(surely(7, true)).toEqual([false])
  expect(surely(5, true)).toEqual([false])
  expect(surely(4, true)).toEqual([true])
  expect(surely(7, false)).toEqual([true])
})
