import { expect, it } from 'vitest'
import { guessCaller } from './repair.ts'

const minute = 60_000
const hour = 60 * minute
const wrong = {
  first: 10 * hour,
  last: 10 * hour,
  nextTaken: null,
  lastTaken: null,
  changedAt: 0,
  madeAt: -hour,
}

it.each([
  ['a stranger when the right secret is accepted afterwards', { nextTaken: 10 * hour + 1 }, 'stranger'],
  [
    'the service when the secret was set right in between',
    { nextTaken: 12 * hour, lastTaken: 12 * hour, changedAt: 11 * hour },
    'service',
  ],
  [
    'a stranger when it changed only later',
    { nextTaken: 10 * hour + 1, lastTaken: 12 * hour, changedAt: 11 * hour },
    'stranger',
  ],
  ['the service when nothing was ever accepted', {}, 'service'],
  ['not known yet when the right one came a moment before', { lastTaken: 10 * hour - minute }, 'undecided'],
  ['the service when none came for 15 minutes', { lastTaken: 10 * hour - 13 * minute }, 'service'],
  ['not known yet when one came after that', { lastTaken: 10 * hour - 13 * minute + 1 }, 'undecided'],
  [
    'the service when none came since the secret changed',
    { lastTaken: 10 * hour - 5 * minute, changedAt: 10 * hour - 3 * minute },
    'service',
  ],
  [
    'a delivery that was on its way while it changed',
    { changedAt: 10 * hour - 10_000, nextTaken: 10 * hour + 3_000 },
    'on-its-way',
  ],
  [
    'a stranger where the receiver was just made, and never had another secret',
    { madeAt: 10 * hour - 11_000, changedAt: 10 * hour - 10_000, nextTaken: 10 * hour + 3_000 },
    'stranger',
  ],
] as const)('it is %s', (_name, known, who) => {
  expect(guessCaller({ ...wrong, ...known }, 10 * hour + 2 * minute)).toBe(who)
})
