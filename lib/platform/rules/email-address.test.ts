import { expect, it } from 'vitest'
import { findEmailAddress, isEmailAddress, onlyEmailAddress, withoutMarks } from './mail-address.ts'
import { cleanText } from './pasted-text.ts'

it.each([
  'ana@demo.test',
  "o'brien@demo.test",
  'a&b@demo.test',
  'ana/lisboa@demo.test',
  "!#$%&'*+-/=?^_`{|}~@demo.test",
  'josé@demo.test',
  '用户@例子.广告',
  'ana@münchen.test',
  'ana@xn--mnchen-3ya.test',
  'ana@demo.xn--p1ai',
  'ana@1.2.demo',
  '"ana b"@demo.test',
  'ana@[192.0.2.1]',
  '😀@demo.test',
])('%s is an address, and is found in a text', (address) => {
  expect(isEmailAddress(address)).toBe(true)
  if (address.includes('[')) return
  for (const text of [
    address,
    `Of ${address}, please`,
    `<${address}>`,
    `mailto:${address}`,
    `Ana <${address}>.`,
  ])
    expect(findEmailAddress(cleanText(text)), text).toBe(address)
})

it.each([
  'ana',
  'ana@',
  '@demo.test',
  'ana@demo',
  'a..b@demo.test',
  '.a@demo.test',
  'a b@demo.test',
  'a@b@demo.test',
  'ana@demo.123',
  'ana@-demo.test',
  `${'a'.repeat(65)}@demo.test`,
  'ana@demo.test ',
  '"a\nb"@demo.test',
])('%j is none', (text) => {
  expect(isEmailAddress(text)).toBe(false)
})

it.each([
  ["'ana@demo.test'", 'ana@demo.test'],
  ["o’brien@demo.test's", "o'brien@demo.test"],
  ['(ana@demo.test)', 'ana@demo.test'],
  ['{ana@demo.test}', 'ana@demo.test'],
  ['https://x.test/?email=ana@demo.test&x=1', 'ana@demo.test'],
  ['https://x.test/people/ana@demo.test', 'ana@demo.test'],
  ['email=ana@demo.test', 'ana@demo.test'],
  ['emailAddress=ana@demo.test', 'ana@demo.test'],
  ['customer_email=ana@demo.test', 'ana@demo.test'],
  ['?email=ana@demo.test&x=1', 'ana@demo.test'],
  ['x=1&user.email=ana@demo.test', 'ana@demo.test'],
  ['recipient=ana@demo.test', 'ana@demo.test'],
  ['smtp.mail-from=ana@demo.test; spf=pass', 'ana@demo.test'],
  ['orig_to=<ana@demo.test>, relay=x', 'ana@demo.test'],
  ['a=b@demo.test', 'a=b@demo.test'],
  ['of a&b=c@demo.test', 'a&b=c@demo.test'],
  ['Ana@home asked ana@demo.test', 'ana@demo.test'],
  ['{a}@demo.test', '{a}@demo.test'],
  ['*a@demo.test', '*a@demo.test'],
  ['of {a}@demo.test', '{a}@demo.test'],
  ['ana (at) demo (dot) test', 'ana@demo.test'],
  ['ana[at]demo.test', 'ana@demo.test'],
  ['ana @ demo.test', 'ana@demo.test'],
  ['=?utf-8?Q?Ana_=3Cana=40demo.test=3E?=', 'ana@demo.test'],
  ['=?utf-8?B?QW5hIDxhbmFAZGVtby50ZXN0Pg==?=', 'ana@demo.test'],
  ['•ana@demo.test', 'ana@demo.test'],
  ['· •ana@demo.test', 'ana@demo.test'],
  ['ana@demo', null],
  ['', null],
])('finds in %j %j', (text, address) => {
  expect(findEmailAddress(cleanText(text))).toBe(address)
})

it.each([
  ['ana@demo.test', 'ana@demo.test'],
  ['mailto:ana@demo.test', 'ana@demo.test'],
  ['MAILTO:ana@demo.test?subject=Hello', 'ana@demo.test'],
  ['Ana Lima <ana@demo.test>', 'ana@demo.test'],
  ['"Lima, Ana" <ana@demo.test>;', 'ana@demo.test'],
  ['Ana <mailto:ana@demo.test>', 'ana@demo.test'],
  ['<ana@demo.test>', 'ana@demo.test'],
  ['ana@demo.test;', 'ana@demo.test'],
  ['ana@demo.test, ', 'ana@demo.test'],
  ['(ana@demo.test)', 'ana@demo.test'],
  ['"ana@demo.test"', 'ana@demo.test'],
  ["'ana@demo.test'", 'ana@demo.test'],
  ["o'brien@demo.test", "o'brien@demo.test"],
  ['"ana b"@demo.test', '"ana b"@demo.test'],
  ['"ana b"@demo.test;', '"ana b"@demo.test'],
  ['ana@[192.0.2.1]', 'ana@[192.0.2.1]'],
  ['Ana <ana@[192.0.2.1]>', 'ana@[192.0.2.1]'],
  ['ana lima@demo.test', null],
  ['Ana ana@demo.test', null],
  ['ana@demo.test bo@demo.test', null],
  ['ana@demo.test; bo@demo.test', null],
  ['bo@demo.test <ana@demo.test>', null],
  ['Ana <ana@demo.test> Bo <bo@demo.test>', null],
  ['Ana <ana@demo>', null],
  ['mailto:ana', null],
  ['a@b@demo.test', null],
  ['', null],
])('the only address in %j is %j', (text, address) => {
  expect(onlyEmailAddress(text)).toBe(address)
})

it.each([' ', '\n', ';', ',', '.', '"', "'", '`', '(', ')', '[', ']', '{', '}', '<', '>', '@', '. '])(
  'reads %j before, behind and inside an address in linear time',
  (sign) => {
    const many = sign.repeat((64 * 1024) / sign.length)
    for (const text of [`${many}a@b.c`, `a@b.c${many}`, `a${many}a@b.c`, `a@b.c${many}a`, `a${many}@b.c`])
      expect([null, 'a@b.c']).toContain(onlyEmailAddress(text))
  },
)

it('finds an address after the name of a field in linear time', () => {
  for (const part of ['mail', 'mail=', 'mail&', 'to.@', 'a@', '?mail=a@', '•', '•@'])
    expect(findEmailAddress(cleanText(part.repeat(20_000 / part.length)))).toBeNull()
})

it.each([
  '📧ana@demo.test',
  '→ana@demo.test',
  '|ana@demo.test',
  '~ana@demo.test',
  '_ana@demo.test',
  'ana@demo.test',
])('leaves out the marks before the address in %j', (email) => {
  expect(isEmailAddress(email)).toBe(true)
  expect(withoutMarks(email)).toBe('ana@demo.test')
})

it.each(['"ana b"@demo.test', '|@demo.test', '用户@例子.广告'])('leaves %j as it is', (email) => {
  expect(withoutMarks(email)).toBe(email)
})
