import { expect, it } from 'vitest'
import { CursorRefused } from '../refusals.ts'
import { decodeCursor, decodePlace, encodeCursor, encodePlace, pageOf, pageSize, upTo } from './paging.ts'

it.each([
  [undefined, 50],
  [10, 10],
  [10.9, 10],
  [0, 1],
  [-5, 1],
  [1_000_000, 200],
])('a page of %j rows has %i', (asked, size) => {
  expect(pageSize(asked)).toBe(size)
})

it('another page follows when one more row was read, and begins after the last row shown', () => {
  expect(pageOf(['a', 'b', 'c'], 2, (last) => last)).toEqual({ listed: ['a', 'b'], next: 'b' })
  expect(pageOf(['a', 'b'], 2, (last) => last)).toEqual({ listed: ['a', 'b'], next: null })
  expect(pageOf<string>([], 2, (last) => last)).toEqual({ listed: [], next: null })
})

it('reads back the parts of a cursor', () => {
  const parts = ['started', '2026-01-31T12:00:00.000Z', 'transaction:ä"\\']
  expect(decodeCursor(encodeCursor(parts))).toEqual(parts)
})

it.each([
  ['nothing', ''],
  ['no JSON', Buffer.from('[').toString('base64url')],
  ['no list of texts', Buffer.from('[1]').toString('base64url')],
  ['a space too many', Buffer.from('["a", "b"]').toString('base64url')],
  ['a character cut off', encodeCursor(['a', 'b']).slice(0, -1)],
  ['characters that base64url skips', `${encodeCursor(['a', 'b'])}!`],
])('refuses a cursor with %s', (_what, text) => {
  expect(() => decodeCursor(text)).toThrow(CursorRefused)
})

it('reads back the place of a row, and refuses a cursor of another kind, such as an id alone', () => {
  const [at, id] = ['2026-01-31T12:00:00.000Z', '0199f3a2-0000-7000-8000-000000000000']
  expect(decodePlace(encodePlace(new Date(at), id))).toEqual([at, id])
  expect(decodePlace(undefined)).toEqual([null, null])
  const odd = [[at], [id, at], [at, 'x'], ['0000-01-01T00:00:00.000Z', id]].map(encodeCursor)
  for (const text of [id, '', ...odd]) expect(() => decodePlace(text)).toThrow(CursorRefused)
})

it('counts exactly up to 1,000', () => {
  expect([0, 1_000, 1_001].map(upTo)).toEqual([
    { count: 0, exact: true },
    { count: 1_000, exact: true },
    { count: 1_000, exact: false, atLeast: true },
  ])
})
