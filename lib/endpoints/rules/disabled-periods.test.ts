import { expect, it } from 'vitest'
import { disabledPeriods, type StatusChange, type StatusOutcome } from './gap-periods.ts'

/** The first change is asked for at 0 and settled at 1, the second at 2 and 3, and so on. */
const change = (text: string, index: number): StatusChange => {
  const [status = '', word] = text.split(' ')
  const outcome = outcomes.find((known) => known === word)
  return { status, askedAt: 2 * index, settled: outcome ? { outcome, at: 2 * index + 1 } : null }
}

const outcomes: readonly StatusOutcome[] = ['done', 'refused', 'failed', 'unsure']

it.each<[name: string, changes: string[], times: [number, number | null][]]>([
  ['nothing', [], []],
  [
    'off and on again, from before the service was asked until it said so',
    ['disabled done', 'active done'],
    [[0, 3]],
  ],
  ['off, and still so', ['disabled done'], [[0, null]]],
  ['perhaps off: the answer was lost', ['disabled unsure', 'active done'], [[0, 3]]],
  ['not off: it was refused', ['disabled refused', 'active done'], []],
  ['not off: the service failed', ['disabled failed'], []],
  ['not known to be off: it was interrupted', ['disabled interrupted', 'active done'], []],
  [
    'still off when activating it failed or may have',
    ['disabled done', 'active failed', 'active unsure', 'active interrupted'],
    [[0, null]],
  ],
  [
    'off since the first time when it is disabled twice',
    ['disabled done', 'disabled done', 'active done'],
    [[0, 5]],
  ],
  [
    'off since the time that ended, not one that was interrupted',
    ['disabled interrupted', 'disabled done'],
    [[2, null]],
  ],
  ['made active without having been off', ['active done'], []],
])('%s', (_name, changes, times) => {
  expect(disabledPeriods(changes.map(change))).toEqual(times.map(([began, ended]) => ({ began, ended })))
})
