import { expect, it } from 'vitest'
import { WebAddressSchema } from './fields.ts'

const address = 'https://dash.example.com/api/webhooks/abc'

it.each([
  ['a zero-width space at the end', `${address}\u200b`],
  ['marks of direction around it', `\u202a${address}\u202c`],
  ['isolates around it, and a space', ` \u2068${address}\u2069 `],
  ['a byte order mark', `\ufeff${address}`],
  ['a word joiner inside', address.replace('/api', '/\u2060api')],
  ['a soft hyphen in the host', address.replace('example', 'exam\u00adple')],
])('an address with %s is the address that was seen', (_what, text) => {
  expect(WebAddressSchema.parse(text)).toBe(address)
})

it.each([
  'https://dash.example.com/a%E2%80%8Bb?next=%2Fc%20d',
  'https://dash.example.com/größe/\u{1f469}\u{1f3fd}?q=–',
])('the rest of %s stays as it is', (text) => {
  expect(WebAddressSchema.parse(text)).toBe(text)
})

it('is no address without visible signs', () => {
  expect(WebAddressSchema.safeParse('\u200b\u2060').error?.issues[0]?.message).toMatch('not a web address')
})
