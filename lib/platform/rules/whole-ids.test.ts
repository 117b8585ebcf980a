import { expect, it } from 'vitest'
import { cleanText } from './pasted-text.ts'
import { findUuid, findWholeIds } from './whole-ids.ts'

const id = '2046967a-85f9-4a5c-9d3e-0123456d1329'
const other = '3f2c1111-0000-4000-8000-00000000d0b1'

it.each([
  id,
  id.toUpperCase(),
  ` "${id}" `,
  `{${id}}`,
  `urn:uuid:${id}`,
  id.replaceAll('-', ''),
  `User ID${id}`,
  `https://x.test/users/${id}?tab=1`,
  id.replaceAll('-', '\u2011'),
  `${id.slice(0, 8)}\u200b${id.slice(8)}`,
  id.replaceAll('-', '%2D'),
  `${id} ${id}`,
])('%j names one uuid', (text) => {
  expect(findUuid(cleanText(text))).toBe(id)
})

it.each(['', id.slice(1), `${id}0`, `${id} ${other}`, 'x'.repeat(36)])(
  '%j names none, or several',
  (text) => {
    expect(findUuid(cleanText(text))).toBeNull()
  },
)

it('finds ids in order, each with its position', () => {
  const [hash, wallet] = [`0x${'a1'.repeat(32)}`, `0x${'b2'.repeat(20)}`]
  const text = `tx${hash}Completed, Wallet${wallet}; ${id}`
  expect(findWholeIds(text).map(({ kind, from, to }) => [kind, text.slice(from, to)])).toEqual([
    ['hash', hash],
    ['wallet', wallet],
    ['uuid', id],
  ])
})

it('reads a long text in linear time', () => {
  expect(findWholeIds('0x'.repeat(10_000))).toEqual([])
  expect(findWholeIds('a'.repeat(20_000))).toEqual([])
})
