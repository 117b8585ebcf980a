import { expect, it } from 'vitest'
import { isolated, isVisibleName, nothingToSee, visibleText } from './pasted-text.ts'

it.each([
  ['Ana\u202e', 'Ana'],
  ['Ana\u202e000,1 RUE', 'Ana000,1 RUE'],
  ['\u2066Bob', 'Bob'],
  ['a\u2069b\u061cc\u200fd', 'abcd'],
  ['\u3164', null],
  ['\u200b', null],
  ['\u202e\u2800\u00a0\u115f', null],
  ['', null],
  [null, null],
  ['Ana Lima', 'Ana Lima'],
  ['אנה', 'אנה'],
])('of %j shows %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

it.each([
  ['Ana', 'Ana'],
  ['אנה', '\u2068אנה\u2069'],
  ['\u202eאנה', '\u2068אנה\u2069'],
  ['Ana\u2069\u202e', 'Ana'],
  ['\u3164', nothingToSee],
  ['Ana\r\n\r\nBob\u2028Cy\u2029Di\u0085Ed\tFi', 'Ana Bob Cy Di Ed Fi'],
  ['\n', nothingToSee],
])('between other words %j stands as %j', (text, shown) => {
  expect(isolated(text)).toBe(shown)
})

it.each(['Ana\u202e', '\u3164', '\u2066Bob', '\u200b', '\u2800 \u2800'])('%j is no name', (name) => {
  expect(isVisibleName(name)).toBe(false)
})

it.each(["O'Brien", 'José', 'אנה', 'می\u200cخواهم', '👩\u200d🚀', '李'])('%j is a name', (name) => {
  expect(isVisibleName(name)).toBe(true)
})
