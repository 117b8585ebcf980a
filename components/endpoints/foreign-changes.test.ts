import { expect, it } from 'vitest'
import type { SeenState } from '#lib/endpoints/list-states.ts'
import { foreignChanges } from './foreign-changes.ts'

const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, '0')}:00.000Z`
const disabled: SeenState = { status: 'disabled', after: at(5), by: at(6), until: null }
const change = (minute: number, outcome = 'done') => ({
  at: at(minute),
  action: 'endpoint.set-status',
  outcome,
})

it('leaves out what was asked for here while the state changed', () => {
  expect(foreignChanges([disabled], [change(5)])).toEqual([])
  expect(foreignChanges([disabled], [change(6, 'unsure')])).toEqual([])
})

it('names a change that nobody made here, and one that was refused here', () => {
  expect(foreignChanges([disabled], [])).toEqual([disabled])
  expect(foreignChanges([disabled], [change(3)])).toEqual([disabled])
  expect(foreignChanges([disabled], [change(5, 'refused')])).toEqual([disabled])
})

it('names every time that the service switched it off, but not how it was first seen', () => {
  const off: SeenState = { ...disabled, status: 'auto_disabled' }
  expect(foreignChanges([off, { ...disabled, after: null }], [change(5)])).toEqual([off])
})
