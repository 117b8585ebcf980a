import { expect, it } from 'vitest'
import { isSameText } from './records.ts'

it.each([
  ['José  Núñez', 'jose nunez', true],
  ['O’Neill-Smith, Jr.', 'ONeillSmith Jr', true],
  ['DE89 3704', 'de893704', true],
  ['ﬁne', 'fine', true],
  ['Strauß', 'STRAUSS', true],
  ['Ana', 'Anna', false],
  ['Ana', '', false],
  ['', '', false],
  [' . ', '-', false],
])('%j and %j say the same: %s', (one, other, same) => {
  expect(isSameText(one, other)).toBe(same)
})
