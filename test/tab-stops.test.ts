import { expect, test } from 'vitest'
import { pressesBetween } from '../e2e/tab-stops.ts'

test.each([
  ['from the top to the first stop', -1, 0, 1],
  ['to a later stop', 2, 5, 3],
  ['to an earlier stop, past the last', 5, 2, 7],
  ['to where the focus is, all the way round', 3, 3, 10],
])('Tab is pressed %s', (_where, from, to, presses) => {
  expect(pressesBetween(from, to, 10)).toBe(presses)
})
