import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isMasked, maskAccountNumber, maskPerson, maskWholly } from './mask.ts'

it.each([
  ['DE89 3704 0044 0532 0130 00', 'DE•••3000'],
  ['ES9121000418450200051332', 'ES•••1332'],
  ['GB29NWBK60161331926819', 'GB•••6819'],
  ['31926819', '•••6819'],
  ['123456789012345678', '•••5678'],
  ['1234567', '•••'],
  ['NO93 8601 1117 947', 'NO•••7947'],
  ['NO9386011117', '•••1117'],
  ['12DE893704004405', '•••4405'],
  ['DE8X37040044053201', '•••3201'],
  ['', '•••'],
])('masks the account number %j as %j', (number, masked) => {
  expect(maskAccountNumber(number)).toBe(masked)
})

it.each([
  ['ana@demo.test', 'a•••@demo.test'],
  ['a@b@demo.test', 'a•••@demo.test'],
  ['@demo.test', '@•••'],
  ['@@demo.test', '@•••@demo.test'],
  ['ana@', 'a•••'],
  ['𝒜na 𝓑', '𝒜••• 𝓑•••'],
  ['𝒜na@demo.test', '𝒜•••@demo.test'],
  ['Ana García López', 'A••• G••• L•••'],
  ['  ', ''],
  ['at ana@demo.test', 'a••• a•••'],
  ['ana@demo.test now', 'a••• n•••'],
  ['one two  three four five', 'o••• t••• t••• f•••'],
  ['smtp; 550 5.1.1 <ana@demo.test>: no such user', 's••• 5••• 5••• <•••'],
])('masks %j as %j', (text, masked) => {
  expect(maskPerson(text)).toBe(masked)
})

it('leaves at most six characters of any account number, and at most one of each of four words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect([...maskAccountNumber(text).replaceAll('•', '')].length).toBeLessThanOrEqual(6)
      if (!text.includes('@'))
        expect([...maskPerson(text).replace(/[•\s]/g, '')].length).toBeLessThanOrEqual(4)
    }),
  )
})

it('masks a long text in linear time', () => {
  for (const part of ['@', 'a@', 'a'])
    expect(maskPerson(`${part.repeat((64 * 1024) / part.length)} x`)).toBe(`${part.charAt(0)}••• x•••`)
})

it('knows what was masked', () => {
  for (const masked of [maskAccountNumber('31926819'), maskPerson('ana@demo.test'), maskWholly()])
    expect(isMasked(masked)).toBe(true)
  expect(isMasked('ana@demo.test ••')).toBe(false)
})
