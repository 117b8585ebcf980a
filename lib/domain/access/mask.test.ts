import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maskAccountNumber, maskPerson } from './mask.ts'

it.each([
  ['DE89 3704 0044 0532 0130 00', 'DE•••3000'],
  ['ES9121000418450200051332', 'ES•••1332'],
  ['GB29NWBK60161331926819', 'GB•••6819'],
  ['31926819', '•••6819'],
  ['123456789012345678', '•••5678'],
  ['1234567', '•••'],
  ['', '•••'],
])('masks the account number %j as %j', (number, masked) => {
  expect(maskAccountNumber(number)).toBe(masked)
})

it.each([
  ['ana@demo.test', 'a•••@demo.test'],
  ['Ana García López', 'A••• G••• L•••'],
  ['  ', ''],
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
