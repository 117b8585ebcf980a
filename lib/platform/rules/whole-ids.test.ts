import { expect, it } from 'vitest'
import { cleanText } from './pasted-text.ts'
import { findShortIds, findUuid, findWholeIds } from './whole-ids.ts'

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

const [bareHash, bareWallet] = ['371fa7c5'.repeat(8), '26d0bfaa7de6f4d5a8f06bd2c7b0f35b3d708932']

it.each([
  `{"transactionHash":"${bareHash}"}`,
  `where is ${bareHash.toUpperCase()}?`,
  `\\x${bareHash}`,
  `https://tronscan.org/#/transaction/${bareHash}`,
  `hash=${bareHash};`,
])('finds the hash without 0x in %j', (text) => {
  expect(findWholeIds(cleanText(text))).toMatchObject([{ kind: 'bare-hash', id: bareHash }])
})

it('finds a wallet without 0x, and no id in a part of something longer or in digits alone', () => {
  expect(findWholeIds(`of ${bareWallet}, please`)).toMatchObject([{ kind: 'bare-wallet', id: bareWallet }])
  for (const text of [
    `${bareHash}0`,
    `x${bareWallet}`,
    `${bareWallet}-1`,
    bareHash.slice(0, 50),
    '1234567890'.repeat(4),
    '12345678'.repeat(8),
    'abcdefab'.repeat(5),
  ])
    expect(findWholeIds(text), text).toEqual([])
})

it('finds no id in an e-mail address, but one before the number of a chain', () => {
  for (const bare of [bareHash, bareWallet, bareHash.slice(0, 32)]) {
    for (const behind of ['@demo.test', '@163.com', '@münchen.test', '+tag@demo.test', '.a-b@mail.demo.test'])
      for (const before of ['', 'bounce+', 'of ', '<'])
        expect(findWholeIds(`${before}${bare}${behind}, please`), before + bare + behind).toEqual([])
    for (const behind of ['@137', '@137.', '@137. Thanks', '@ana', ', ana@demo.test', '?to=ana@demo.test'])
      expect(findWholeIds(`ethereum:${bare}${behind}`), bare + behind).toMatchObject([{ id: bare }])
  }
})

it('reads a long text in linear time', () => {
  expect(findWholeIds(`${bareWallet}@`.repeat(480))).toHaveLength(480)
  expect(findWholeIds(`${bareWallet}@a. `.repeat(440))).toHaveLength(440)
  for (const part of ['1', 'a-', '0x1', '\\x', '1a ', `${bareHash}0`])
    expect(findWholeIds(part.repeat(20_000 / part.length))).toEqual([])
  expect(findWholeIds('0x'.repeat(10_000))).toEqual([])
  expect(findWholeIds('a'.repeat(20_000))).toEqual([])
})

it.each([
  ['2046967a…d1329', '2046967a', 'd1329'],
  ['Referência 2046967A…D1329.', '2046967a', 'd1329'],
  ['"transactionUuid": "2046967a...d1329",', '2046967a', 'd1329'],
  ['0x26D0…8932 (Polygon)', '0x26d0', '8932'],
  ['Wallet0x26D0…8932', '0x26d0', '8932'],
  ['a link (5VERv8NM…BCDEF)', '5verv8nm', 'bcdef'],
  ['is 2046967a-85f9••••1329 mine', '2046967a-85f9', '1329'],
  ['2046967a**d1329?', '2046967a', 'd1329'],
  ['Konto DE89 3704…3000 fehlt', 'de893704', '3000'],
  ['(GB29 NWBK 6016…6819, Barclays)', 'gb29nwbk6016', '6819'],
  ['von GB29 NWBK…9268 19', 'gb29nwbk', '926819'],
  ['NL91 ABNA 04…300 of Ana', 'nl91abna04', '300'],
  ['from 0x26D0 beef af…8932', '0x26d0beefaf', '8932'],
  ['Meine 1234 5678…9012 ist weg', '12345678', '9012'],
  ['DE89 3704…3000 20 Nov', 'de893704', '3000'],
  ['DE89 3704…3000 1250 EUR', 'de893704', '3000'],
  ['20 Nov 2046967a…d1329', '2046967a', 'd1329'],
  ['2026 2046967a…d1329', '2046967a', 'd1329'],
  ['0x26D0…8932 2026', '0x26d0', '8932'],
  ['mit AB12 mein Geld 2046…8932', '2046', '8932'],
] as const)('finds the shortened id in %j', (text, head, tail) => {
  expect(findShortIds(cleanText(text))).toMatchObject([{ head, tail }])
})

it.each([
  'dead…beef',
  'tomorrow...maybe',
  'It is facade...and 5',
  'x2046967a…d1329',
  '2046967a…d1329x',
  '20…29',
  '2046*1000',
  '20.11.2026',
  '2046967a … d1329',
  'DE•••3000',
])('finds no shortened id in %j', (text) => {
  expect(findShortIds(cleanText(text))).toEqual([])
})

it('reads a long text of parts of ids in linear time', () => {
  for (const part of [
    'a-',
    'aaaa',
    'aaaa.',
    '1234 ',
    'de12 ',
    'de12 abcd ',
    '1234.. 1234 ',
    '1234..',
    '.',
    '*',
    '2046967a..',
    '0x',
  ])
    expect(findShortIds(part.repeat(20_000 / part.length)).length).toBeLessThan(4_000)
})
