import { describe, expect, it } from 'vitest'
import { countries } from '../service/countries.ts'
import { createRandom } from '../state/ids.ts'
import { createIban, nationalChecks } from './iban.ts'

/** The IBAN registry gives these examples. They cover every country whose banks define check digits of their own. */
const examples = [
  'BE68539007547034',
  'CZ6508000000192000145399',
  'EE382200221020145685',
  'ES9121000418450200051332',
  'FI2112345600000785',
  'FR1420041010050500013M02606',
  'HR1210010051863000160',
  'HU42117730161111101800000000',
  'IT60X0542811101000000123456',
  'NL91ABNA0417164300',
  'NO9386011117947',
  'PL61109010140000071219812874',
  'PT50000201231234567890154',
  'SI56263300012039086',
  'SK3112000000198742637541',
]

/** ISO 13616 defines these lengths. */
const lengths: Record<string, number> = {
  ...{
    AT: 20,
    BE: 16,
    BG: 22,
    CH: 21,
    CY: 28,
    CZ: 24,
    DE: 22,
    DK: 18,
    EE: 20,
    ES: 24,
    FI: 18,
    FR: 27,
    GB: 22,
  },
  ...{
    GR: 27,
    HR: 21,
    HU: 28,
    IE: 22,
    IT: 27,
    LT: 20,
    LU: 20,
    LV: 21,
    MT: 31,
    NL: 18,
    NO: 15,
    PL: 28,
    PT: 25,
  },
  ...{ RO: 24, SE: 24, SI: 19, SK: 24 },
}

describe('the national check digits', () => {
  it('are known for every country that has some', () => {
    expect(examples.map((iban) => iban.slice(0, 2))).toEqual(Object.keys(nationalChecks))
  })

  it.each(examples)('are right in the registry’s %s, and wrong with any other check', (iban) => {
    const check = nationalChecks[iban.slice(0, 2)]
    const bban = iban.slice(4)
    expect(check?.holds(bban)).toBe(true)
    const { at = 0, signs = [] } = check ?? {}
    const size = signs[0]?.length ?? 0
    const right = signs.filter((sign) => check?.holds(bban.slice(0, at) + sign + bban.slice(at + size)))
    expect(right).toContain(bban.slice(at, at + size))
    expect(right.length).toBeLessThan(signs.length / 5)
  })
})

describe('an IBAN that is made up', () => {
  it.each(countries.map(({ country_code }) => country_code))('is right for a user in %s', (country) => {
    for (let seed = 1; seed <= 300; seed++) {
      const iban = createIban(country, createRandom(seed))
      const code = iban.slice(0, 2)
      expect(code).toBe(country === 'US' ? 'GB' : country)
      expect(iban).toMatch(/^[A-Z]{2}\d\d[A-Z\d]+$/)
      expect(iban).toHaveLength(lengths[code] ?? 0)
      const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
        String(parseInt(letter, 36)),
      )
      expect(BigInt(digits) % 97n).toBe(1n)
      expect(nationalChecks[code]?.holds(iban.slice(4)) ?? true).toBe(true)
      // Banks use one of two pairs with the same remainder. A Norwegian account of seven digits has other rules.
      expect(iban).not.toMatch(/^(NO..(0000|\d{4}00)|(PT|SI).*0[01]$|FR.*00$)/)
    }
  })

  it('differs from user to user', () => {
    const made = Array.from({ length: 500 }, (_, seed) => createIban('NL', createRandom(seed)))
    expect(new Set(made).size).toBeGreaterThan(490)
  })
})
