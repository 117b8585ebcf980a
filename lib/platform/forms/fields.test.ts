import { expect, it } from 'vitest'
import { EmailAddressSchema, pastedText, WebAddressSchema } from './fields.ts'

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

it.each([' ', ';', ')', '\u200b', '%20', 'ﷺ'])('a text of 64 KB with %j is too long for a field', (sign) => {
  const many = sign.repeat((64 * 1024) / sign.length)
  for (const text of [`a${many}a@b.c`, `a@b.c${many}a`]) {
    expect(EmailAddressSchema.safeParse(text).error?.issues).toMatchObject([{ message: 'email-too-long' }])
    expect(pastedText('Too long.').safeParse(text).error?.issues).toMatchObject([{ message: 'Too long.' }])
  }
})

it('an address is found in a longer text, and has 254 characters itself', () => {
  const [name, host] = ['ana'.padEnd(64, 'a'), `${'b'.repeat(180)}.test`]
  expect(EmailAddressSchema.parse(`${'Ana '.repeat(100)}<${name}@${host}>`)).toBe(`${name}@${host}`)
  const { error } = EmailAddressSchema.safeParse(`${name}@${'b'.repeat(185)}.test`)
  expect(error?.issues).toMatchObject([{ message: 'email-too-long' }])
})
