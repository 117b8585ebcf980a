import { expect, it } from 'vitest'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readCode } from './sign-in.ts'

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
])('reads the code in %j', (text, code) => {
  expect(readCode(cleanText(text))).toBe(code)
})

it.each(['', '…', '12', 'Your code', '361836 or 581691', 'Hello, how are you?', 'ana@demo.test'])(
  'takes %j for no code',
  (text) => {
    expect(readCode(cleanText(text))).toBeNull()
  },
)
