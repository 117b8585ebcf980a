import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cleanText, plainText } from './pasted-text.ts'

const id = '2046967a-85f9-4a5c-9d3e-0123456d1329'
const iban = 'DE89370400440532013000'

it.each([
  ['a zero-width space', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['a joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['marks of direction', '\u202a\u202c\u2066\u2069\u061c'],
  ['a byte order mark', '\ufeff'],
  ['a variation selector', '\ufe0f'],
  ['a Hangul filler', '\u3164'],
  ['a tag', '\u{e0041}'],
  ['a control character', '\u0008\u001b'],
])('removes %s, wherever it is', (_what, sign) => {
  expect(cleanText(`${sign}${id.slice(0, 5)}${sign}${id.slice(5)}${sign}`)).toBe(id)
})

it.each([
  ...['\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212', '\uff0d', '\ufe63', '\u2043'].map(
    (dash) => [id.replaceAll('-', dash), id],
  ),
  ['２０４６９６７ａ－８５ｆ９', '2046967a-85f9'],
  ['٣٦١٨٣٦', '361836'],
  ['۳۶۱۸۳۶ ३६१८३६', '361836 361836'],
  ['𝟚𝟘𝟜𝟞', '2046'],
  ['٢٥٥٫٨٦', '255.86'],
  ['o’brien@demo.test', "o'brien@demo.test"],
  ['o´brien oʼbrien', "o'brien o'brien"],
  ['“Ana”', '"Ana"'],
  ['ana＠demo。test', 'ana@demo.test'],
  ['0×26d0bfaa', '0x26d0bfaa'],
  ['ES91\u00a02100\u202f0418', 'ES91 2100 0418'],
  ['one\u2028two', 'one\ntwo'],
  ['サトー', 'サトー'],
  ['2046967aー85f9', '2046967a-85f9'],
])('writes %j plainly as %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
  expect(plainText(text)).toBe(clean)
})

it.each([
  [id.replaceAll('-', '%2D'), id],
  [`%7B${id}%7D`, `{${id}}`],
  ['a%00b&#0;c\\u0000d\0', 'a\ufffdb\ufffdc\ufffdd\ufffd'],
  ['ana%40demo.test', 'ana@demo.test'],
  ['ana%2540demo.test', 'ana@demo.test'],
  ['Z%C3%BCrich', 'Zürich'],
  [`%E2%80%8B${id}`, id],
  [id.replaceAll('-', '=2D'), id],
  ['ana=40demo.test', 'ana@demo.test'],
  ['DE89=203704=200044=200532=200130=2000', 'DE89 3704 0044 0532 0130 00'],
  [`${id.slice(0, 20)}=\r\n${id.slice(20)}`, id],
  [`https://x.test/?id=3D${id}`, `https://x.test/?id=${id}`],
  ['Z=C3=BCrich =E2=82=AC5', 'Zürich €5'],
  ['=E2=82=AC255.86=20', '€255.86'],
  ['31926819=20\n31926820=20', '31926819 \n31926820'],
  ['ana&#64;demo.test O&#39;Brien', "ana@demo.test O'Brien"],
  ['DE89&nbsp;3704&#x200B;', 'DE89 3704'],
  [String.raw`ana\u0040demo.test`, 'ana@demo.test'],
  [
    `https://urldefense.proofpoint.com/v2/url?u=https-3A__d.test_transactions_${id.replaceAll('-', '-2D')}-3Fa-3DZ-C3-BC&d=DwIF&c=x`,
    `https://d.test/transactions/${id}?a=Zü`,
  ],
  [`https://urldefense.proofpoint.com/v2/url?u=https-3A__d.test_${id}&amp;d=DwIF`, `https://d.test/${id}`],
  ['=?utf-8?B?WsO8cmljaA==?=', 'Zürich'],
  ['=?iso-8859-1?b?WvxyaWNo?=', 'Zürich'],
  ['=?utf-8?B?WsO8?= =?utf-8?Q?rich?=', 'Zürich'],
])('decodes %j to %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
})

it.each([
  `https://x.test/?id=${id}&tab=20`,
  'https://x.test/?account=31926819&amount=25',
  `id=${id}`,
  'tx=40a1b2c3',
  `=${iban}=`,
  '=31926819=',
  '=361836=',
  '100% of 50%',
  '🎉-Zürich/100%',
  'a&b@demo.test',
  'R&D; &unknown;',
  '=?utf-8?B?no base?=',
  '=?utf-8?B?////?=',
  '=?nothing?B?WsO8?=',
])('leaves %j unchanged', (text) => {
  expect(cleanText(text)).toBe(text)
})

it('reads the ten digits of every script in order', () => {
  const others = Array.from({ length: 0x11_0000 }, (_, code) => code).flatMap((code) => {
    const sign = String.fromCodePoint(code)
    return code > 127 && /\p{Nd}/u.test(sign) ? [plainText(sign)] : []
  })
  expect(others.length % 10).toBe(0)
  expect(others.join('')).toBe('0123456789'.repeat(others.length / 10))
})

it('leaves plain text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const once = plainText(text)
      expect(plainText(once)).toBe(once)
    }),
  )
})
