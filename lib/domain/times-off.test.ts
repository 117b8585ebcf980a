import { expect, it } from 'vitest'
import { type Deed, timesOff } from './times-off.ts'

const deed = (text: string, at: number): Deed => {
  const [status = '', outcome = ''] = text.split(' ')
  return { status, outcome, at }
}

it.each<[name: string, deeds: string[], times: [number, number | null][]]>([
  ['nothing', [], []],
  [
    'off and on again, from before the service was asked until it said so',
    ['disabled begun', 'disabled done', 'active begun', 'active done'],
    [[0, 3]],
  ],
  ['off, and still so', ['disabled begun', 'disabled done'], [[0, null]]],
  [
    'perhaps off: the answer was lost',
    ['disabled begun', 'disabled unsure', 'active begun', 'active done'],
    [[0, 3]],
  ],
  ['not off: it was refused', ['disabled begun', 'disabled refused', 'active begun', 'active done'], []],
  ['not off: the service failed', ['disabled begun', 'disabled failed'], []],
  [
    'still off when activating it failed or may have',
    ['disabled begun', 'disabled done', 'active begun', 'active failed', 'active begun', 'active unsure'],
    [[0, null]],
  ],
  [
    'off since the first time when it is disabled twice',
    ['disabled begun', 'disabled done', 'disabled begun', 'disabled done', 'active begun', 'active done'],
    [[0, 5]],
  ],
  ['made active without having been off', ['active begun', 'active done'], []],
])('%s', (_name, deeds, times) => {
  expect(timesOff(deeds.map(deed))).toEqual(times.map(([began, ended]) => ({ began, ended })))
})
