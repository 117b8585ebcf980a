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

it.each(['Ana\u202e', '\u3164', '\u2066Bob', '\u200b', '\u2800', ' ', 'a\nb'])(
  '%j is given as no name',
  (name) => {
    expect(PersonNameSchema.safeParse(name).success).toBe(false)
  },
)

it.each(['Ana', "O'Brien", 'אנה', 'می\u200cخواهم'])('%j is', (name) => {
  expect(PersonNameSchema.safeParse(name).success).toBe(true)
})
