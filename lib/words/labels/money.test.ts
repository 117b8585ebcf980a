import { describe, expect, it } from 'vitest'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { formatMoney, moneyParts } from './money.ts'

describe('an amount in pieces', () => {
  it.each([
    ['4.76', 'EUR', 'en', ['€4', '.76', '', '']],
    ['1250', 'gbp', 'en', ['£1,250', '.00', '', '']],
    ['5', 'usdc', 'en', ['5', '', '', ' USDC']],
    ['224.326187', 'usdc', 'en', ['224', '.32', '6187', ' USDC']],
    ['-2.5', null, 'en', ['-2', '.5', '', '']],
    ['4.765', 'EUR', 'de', ['4', ',76', '5', '\u00a0€']],
    ['-4.7', 'EUR', 'en', ['-€4', '.70', '', '']],
  ])('%s %s in %s', (digits, currency, locale, pieces) => {
    const amount = parseDecimal(digits)
    const parts = amount && moneyParts(amount, currency, locale)
    expect(parts && [parts.whole, parts.decimals, parts.finer, parts.unit]).toEqual(pieces)
    expect(amount && formatMoney(amount, currency, locale)).toBe(pieces.join(''))
  })
})
