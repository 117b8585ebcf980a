import { expect, it } from 'vitest'
import { concerns } from './queries.tsx'

it.each<[subjects: unknown, changed: readonly string[] | 'anything', isRead: boolean]>([
  [undefined, ['transaction:1'], true],
  ['bank-account:', ['transaction:1'], false],
  ['bank-account:', ['transaction:1', 'bank-account:2'], true],
  ['bank-account:', 'anything', true],
  [null, ['transaction:1'], false],
  [null, 'anything', false],
])('a query about %j is read again after a change of %j: %s', (subjects, changed, isRead) => {
  expect(concerns(subjects, changed)).toBe(isRead)
})
