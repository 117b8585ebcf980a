import { expect, test } from 'vitest'
import { rowText } from '../projector/rows.ts'

test('rows that say the same have one text, whatever the order of names inside a value', () => {
  const given = {
    id: 'a',
    at: '2026-11-22T00:00:00.000Z',
    reason: { kind: 'first', more: [{ began: 1, ended: 2 }] },
  }
  const read = { ...given, reason: { more: [{ ended: 2, began: 1 }], kind: 'first' } }
  expect(rowText(read)).toBe(rowText(given))
})

test.each([
  [{ step: null }, { step: '' }],
  [{ step: null }, { step: 'null' }],
  [{ amount: '4.76' }, { amount: '4.760' }],
  [
    { step: 'a', reason: 'b' },
    { step: 'ab', reason: '' },
  ],
  [
    { step: null, reason: '' },
    { step: '', reason: null },
  ],
  [{ flags: [] }, { flags: ['late'] }],
  [{ details: {} }, { details: { sender: null } }],
])('distinguishes %o from %o', (one, other) => {
  expect(rowText(one)).not.toBe(rowText(other))
})
