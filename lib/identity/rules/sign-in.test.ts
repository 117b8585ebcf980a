import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readCode, readSignInAnswer } from './sign-in.ts'

it.each([
  ['361836', '361836'],
  [' 361 836 ', '361836'],
  ['361-836', '361836'],
  ['581–691', '581691'],
  ['3 6 1 8 3 6', '361836'],
  ['36.18.36', '361836'],
  ['361\u200b836', '361836'],
  ['３６１８３６', '361836'],
  ['٣٦١٨٣٦', '361836'],
  ['Your code: 361836', '361836'],
  ['Your code: 361836.', '361836'],
  ['code=361836', '361836'],
  ['(361836)', '361836'],
  ['361836 is your code. It ends in 10 minutes.', '361836'],
  ['Your code is 361 836, sent on 2026-11-20 at 14:05', '361836'],
  ['12345678', '12345678'],
  ['abc123', 'abc123'],
  ['361,836', '361836'],
  ['code361836', '361836'],
  ['361836is your code', '361836'],
  ['AB12-CD34', 'AB12-CD34'],
  ['“AB12-CD34”', 'AB12-CD34'],
  ['Ihr Code: AB12CD34', 'AB12CD34'],
  ['361836 20.11.2026', '361836'],
  ['361836 20.11.26', '361836'],
  ['361836, 2026', '361836'],
  ['361836 10', '361836'],
  ['20/11 361836', '361836'],
  ['2026-11-20 361836', '361836'],
  ['361836-10', '361836'],
  ['361836 361836', '361836'],
  ['361836,361836', '361836'],
  ['361836\n361836', '361836'],
  ['36183618 36183618', '36183618'],
  ['Code 361836, 361-836', '361836'],
  ['№361836', '361836'],
  ['№ 361 836', '361836'],
  ['Nr. 361836', '361836'],
  ['=361836=', '361836'],
  ['=203618=', '203618'],
  ['=361836', '361836'],
  ['=3D361836', '361836'],
  ['361 - 836', '361836'],
  ['3618 5816', '36185816'],
  ['NO361836', 'NO361836'],
])('reads the code in %j', (text, code) => {
  expect(readCode(cleanText(text))).toBe(code)
})

it.each([
  '',
  '…',
  '12',
  'Your code',
  '361836 or 581691',
  'Hello, how are you?',
  'ana@demo.test',
  '361836 581691',
  '361836-581691',
  '3618 3618',
  '3618 36',
  '361 8 36',
  '361 836 581',
  'Your code: 361 836 581',
  '36 18 36 58',
  '20.11.2026',
  '3618-2-36',
])('takes %j for no code', (text) => {
  expect(readCode(cleanText(text))).toBeNull()
})

it('makes no other code of one that stands beside another number', () => {
  const code = fc.stringMatching(/^\d{6}$/)
  const others = fc.oneof(fc.stringMatching(/^\d{1,5}$/), fc.constantFrom('20.11.2026', '14:05', '20/11'))
  const signs = fc.constantFrom(' ', ', ', ' - ', '/', '\n', '_', ' / ')
  fc.assert(
    fc.property(code, others, signs, fc.boolean(), (six, other, sign, isFirst) => {
      const read = readCode(cleanText(isFirst ? `${six}${sign}${other}` : `${other}${sign}${six}`))
      expect([six, null]).toContain(read)
    }),
  )
})

it.each([
  ['/', null],
  ['/api/auth/error?error=code-refused', 'code-refused'],
  ['/api/auth/error?error=Callback', 'went-wrong'],
  ['/api/auth/signin?csrf=true', 'no-cookies'],
])('reads of the answer %s of next-auth: %s', (path, refusal) => {
  expect(readSignInAnswer(new URL(path, 'https://dash.example.com'))).toBe(refusal)
})
