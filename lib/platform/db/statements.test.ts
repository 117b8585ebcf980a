import { expect, it } from 'vitest'
import { jsonParameter, textParameter } from './statements.ts'

it('a text for PostgreSQL has neither NUL nor half a character', () => {
  expect(textParameter('a\0b\ud83dc\udfff🦊')).toBe('a\ufffdb\ufffdc\ufffd🦊')
})

it('JSON for PostgreSQL has neither NUL nor half a character, at any depth', () => {
  const value = { text: 'a\0', list: [{ cut: '\ud83d' }, 1, null], at: new Date(0), none: undefined }
  expect(JSON.parse(jsonParameter(value))).toEqual({
    text: 'a\ufffd',
    list: [{ cut: '\ufffd' }, 1, null],
    at: '1970-01-01T00:00:00.000Z',
  })
})
