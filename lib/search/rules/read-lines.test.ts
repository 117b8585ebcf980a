import { expect, it } from 'vitest'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readLines } from './read-lines.ts'

const one = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const two = '3f2c1111-0000-4000-8000-00000000d0b1'

it.each([
  ['an id', one],
  [
    'a mail with one id in it',
    `Hello,\nwhere is my payment ${one}?\nThank you, and best regards from us all\nAna`,
  ],
  ['a link', `https://tickets.example/4711?transaction=${one}&tab=2`],
  ['an id that stands twice in a line', `${one} https://tickets.example/${one.toUpperCase()}`],
  ['an IBAN in groups', 'ES91 2100 0418 4502 0005 1332'],
  ['an e-mail that begins with an id', `${one}@example.org`],
  ['a name', 'Ana García'],
  ['nothing', ' \n '],
])('%s is one search', (_what, text) => {
  expect(readLines(cleanText(text))).toBeNull()
})

it.each([
  ['ids one below the other', `${one}\n${two}\n`, [one, two]],
  ['ids in one line, as a field makes of lines', `${one} ${two}`, [one, two]],
  ['ids with commas', `${one},${two}`, [one, two]],
  [
    'different things',
    `${one}\r\n\r\nana@demo.test\r\n5.49 apples\r\n2046967`,
    [one, 'ana@demo.test', '5.49 apples', '2046967'],
  ],
  ['a mail with two ids', `Both are late:\n${one}\n${two}`, ['Both are late:', one, two]],
  ['names', 'Ana García\nBen Ong', ['Ana García', 'Ben Ong']],
  ['the same twice', `${one}\n${one}`, [one, one]],
])('%s are as many searches', (_what, text, lines) => {
  expect(readLines(cleanText(text))).toEqual({ lines, left: 0 })
})

it('takes 100 lines at once, and says how many are left', () => {
  const many = Array.from({ length: 130 }, (_, n) => `2046967${n}`).join('\n')
  expect(readLines(cleanText(many))).toMatchObject({ left: 30 })
  expect(readLines(cleanText(many))?.lines).toHaveLength(100)
})
