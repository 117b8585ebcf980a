import { expect, it } from 'vitest'
import { PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { fullName } from './person-texts.ts'

it.each([
  ['Ana\u202e', 'Lima', 'Ana Lima'],
  ['\u3164', 'Lima', 'Lima'],
  ['\u200b', '\u2066', null],
  [null, null, null],
])('%j and %j are shown as %j', (first_name, last_name, shown) => {
  expect(fullName({ first_name, last_name })).toBe(shown)
})

it.each(['\u3164', '\u2066\u2069', '\u200b', '\u200c', '\u2800', ' ', 'a\nb'])(
  '%j is given as no name',
  (name) => {
    expect(PersonNameSchema.safeParse(name).success).toBe(false)
  },
)

it.each(['Ana', "O'Brien", 'אנה', 'می\u200cخواهم', 'ක්\u200dෂ'])('%j is', (name) => {
  expect(PersonNameSchema.parse(name)).toBe(name)
})

it.each([
  '\u202aAna\u202c',
  '\u2066Ana\u2069',
  'Ana\u200e',
  '\u200f Ana',
  'A\u00adna\u200b',
  '\ufeffAna',
  'An\u2060a',
])('%j is Ana, without the signs that copying adds', (name) => {
  expect(PersonNameSchema.parse(name)).toBe('Ana')
})
