import { expect, it } from 'vitest'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readLines } from '#lib/search/rules/read-lines.ts'
import { fromField, inField } from './list-in-field.ts'

it.each([
  ['Ana Lima\nBo Perez', 'Ana Lima↵Bo Perez'],
  ['ana@demo.test\r\n\r\nbo@demo.test', 'ana@demo.test↵↵bo@demo.test'],
  ['> Ana Lima \r > Bo Perez', '> Ana Lima ↵ > Bo Perez'],
])('the list %j is %j in the field, and stays a list after a key', (text, shown) => {
  expect(inField(text)).toBe(shown)
  expect(inField(fromField(shown))).toBe(shown)
  const lines = readLines(cleanText(text))
  expect(lines?.lines).toHaveLength(2)
  expect(readLines(cleanText(fromField(`${shown} `)))).toEqual(lines)
})

it('a text of one line is shown as it is', () => {
  expect(inField(' Ana Lima; Bo ')).toBe(' Ana Lima; Bo ')
})
