import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatExactTime } from '#components/ui/format-time.ts'
import type { Decimal } from '#lib/platform/rules/decimal.ts'
import { languages, localeOf } from '#lib/platform/rules/language.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { formatMoney } from '#lib/words/labels/money.ts'
import { isOnChain } from './read-amount.ts'
import { isSearchable, readQuery as readClean } from './read-query.ts'

const readQuery = (text: string) => readClean(cleanText(text))

it('an amount is read as banks write it', () => {
  for (const [text, digits, currency] of [
    ['−255,86 €', '255.86', 'EUR'],
    ['-255.86', '255.86', null],
    ['255.86-', '255.86', null],
    ['+255.86', '255.86', null],
    ['(255.86)', '255.86', null],
    ['USD -255.86', '255.86', 'USD'],
    ['€9,99-', '9.99', 'EUR'],
    ['- € 9,99', '9.99', 'EUR'],
    ['US$255.86', '255.86', 'USD'],
    ['R$ 255,86', '255.86', 'BRL'],
    ['255,86 zł', '255.86', 'PLN'],
    ['255.86 euros', '255.86', 'EUR'],
    ['255.86 Euro', '255.86', 'EUR'],
    ['1 250 pesos', '1250', null],
    ['255,86 Kč', '255.86', 'CZK'],
    ['CA$255.86', '255.86', 'CAD'],
    ['₹255.86', '255.86', 'INR'],
    ['255 kr', '255', null],
    ['CHF 20.-', '20', 'CHF'],
    ['255,– €', '255', 'EUR'],
    ['255.86€;', '255.86', 'EUR'],
    ['255.86 EUR.', '255.86', 'EUR'],
    ['US $255.86', '255.86', 'USD'],
    ['ca. 255,86 €', '255.86', 'EUR'],
    ['₹1,23,456.78', '123456.78', 'INR'],
    ['5,00 EUR Soll', '5.00', 'EUR'],
    ['12.50 ₽', '12.50', 'RUB'],
    ['5000円', '5000', 'JPY'],
    ['€255.86 EUR', '255.86', 'EUR'],
    ['255.86 CR', '255.86', null],
    ['Amount: 255.86 EUR', '255.86', 'EUR'],
    ['255\u202f860,50 €', '255860.50', 'EUR'],
    ['٢٥٥٫٨٦ EUR', '255.86', 'EUR'],
    ['"255,86"', '255.86', null],
    ["'255,86 €';", '255.86', 'EUR'],
    ['=255.86', '255.86', null],
    ['="255,86"', '255.86', null],
    ['"Completed"\t"255,86"\t"EUR"', '255.86', 'EUR'],
    ['255.86CR', '255.86', null],
    ['Cr 255.86', '255.86', null],
    ['DR. 255.86', '255.86', null],
    ['255.86EUR Cr', '255.86', 'EUR'],
    ['Rs 1,25,586/-', '125586', 'INR'],
    ['Ksh 5000/=', '5000', 'KES'],
    ['AR$ 255,86', '255.86', 'ARS'],
    ['U$S 255,86', '255.86', 'USD'],
    ['Completed\t255.86 EUR', '255.86', 'EUR'],
    ['Ana Lima\t255.86\tEUR\t10:30', '255.86', 'EUR'],
  ] as const)
    expect(readQuery(text).amount, text).toMatchObject({ digits: [digits], currency })
  for (const text of ['€5 USD', '255.86 apples', '5-', '(2046)', 'Cr 255', '255CR', 'Ana\t5.49\t1.50'])
    expect(readQuery(text).amount, text).toBeUndefined()
})

it.each([
  ['255.86 20/11/2026', { day: 20, month: 11, year: 2026 }],
  ['255.86 11/20/2026', { day: 20, month: 11, year: 2026 }],
  ['2026/11/20 255.86', { day: 20, month: 11, year: 2026 }],
  ['255.86 EUR 2026.11.20', { day: 20, month: 11, year: 2026 }],
  ['255.86 on 20-11-2026', { day: 20, month: 11, year: 2026 }],
  ['255.86 5/5/2026', { day: 5, month: 5, year: 2026 }],
  ['255.86 20-Nov-2026', { day: 20, month: 11, year: 2026 }],
  ['255,86 € 20 de noviembre de 2026', { day: 20, month: 11, year: 2026 }],
  ['255,86 € 20. März 2026', { day: 20, month: 3, year: 2026 }],
  ['255,86 € 1er août 2026', { day: 1, month: 8, year: 2026 }],
  ['255.86 20.11.26', { day: 20, month: 11, year: 2026 }],
  ['255.86 EUR Fri 20 Nov 2026, 14:05', { day: 20, month: 11, year: 2026 }],
  ['255.86 EUR 2026-11-20T14:05:00Z', { day: 20, month: 11, year: 2026 }],
  ['20 Nov 2026\tCompleted\t255.86 EUR', { day: 20, month: 11, year: 2026 }],
  ['255.86 1º de maio de 2026', { day: 1, month: 5, year: 2026 }],
  ['255.86 viernes 20 noviembre', { day: 20, month: 11, year: null }],
])('a date stands beside the amount in %j', (text, day) => {
  expect(readQuery(text).amount).toMatchObject({ digits: ['255.86'], day })
})

it('reads no date that may be two', () => {
  expect(readQuery('255.86 5/6/2026').amount).toBeUndefined()
})

it.each([
  '3192 6819 GBP',
  '£3192 6819',
  '31 92 68 19 GBP',
  '3704 0044 0532 0130 00 EUR',
  '3192 6819 20 Nov',
  "3192'6819 EUR",
  "1'234 567 EUR",
  '1,234 567 EUR',
  '1 234.567,89 EUR',
  '1 23 456 INR',
  '€255 86',
  '255.86 26 EUR',
  "255.86'000 EUR",
  '255, 86 EUR',
  '03 800 116 EUR',
  '03,800,116 EUR',
  '0380.0116 EUR',
  '02696,121 20 Nov',
  '255 .86 EUR',
])('refuses %j in words: its groups are not those of an amount', (text) => {
  const reading = readQuery(text)
  expect(reading.explanation).toMatch(/^No ID and no amount/)
  expect(isSearchable(reading)).toBe(false)
})

it.each([
  ['1 250 000 EUR', '1250000'],
  ["CHF 1'250'000.50", '1250000.50'],
  ['1 250 000,50 EUR', '1250000.50'],
  ['31 926 819 GBP', '31926819'],
])('takes a blank or an apostrophe between thousands in %j', (text, digits) => {
  expect(readQuery(text).amount?.digits).toEqual([digits])
})

it('joins no groups that are not thousands, whatever separates them', () => {
  const groups = fc.array(fc.stringMatching(/^[1-9]\d{0,4}$/), { minLength: 2, maxLength: 5 })
  fc.assert(
    fc.property(
      groups,
      fc.constantFrom(' ', "'"),
      fc.constantFrom('EUR', '20 Nov'),
      (parts, sign, beside) => {
        const [first = '', ...more] = parts
        const isGrouped = first.length <= 3 && more.every(({ length }) => length === 3)
        const { amount } = readQuery(`${parts.join(sign)} ${beside}`)
        if (!isGrouped) expect(amount).toBeUndefined()
        else if (amount) expect(amount.digits).toEqual([parts.join('')])
      },
    ),
  )
})

it.each([
  "€255.86 20 Nov '26",
  "€255.86 20 Nov'26",
  '€255.86 20 Nov 26',
  '€255.86 Nov 20, 26',
  '20 Nov 26 €255.86',
  "20 Nov '26 255.86 EUR",
  '€255.86 20261120',
  '20261120 255.86 EUR',
  '€255.86 20/11/26',
  '€255.86 11/20/26',
  '€255.86 20-Nov-26',
  '€255.86 20. 11. 2026',
  '€255.86 20Nov2026',
  '2026-11-20T14:05:00+01:00 €255.86',
  '€255.86 2026-11-20T14:05:00+01:00',
  '€255.86 2026-11-20 14:05:00.123+0100',
  '€255.86 2026-11-20 14:05 +01:00',
  '€255.86 am 20.11.2026',
  'vom 20.11.2026: €255.86',
  '€255.86 20.11.2026 um 10:30 Uhr',
  '€255.86 Fr., 20.11.2026',
  'Freitag, 20. November 2026: €255.86',
  '€255.86 vie, 20 nov 2026',
  '€255.86 el viernes 20 de noviembre de 2026',
  '€255.86 20/11/2026 a las 10:30',
  '€255.86 vendredi 20 novembre 2026',
  '€255.86 20 nov. 2026 à 10:30',
  '€255.86 20/11/2026 10h30',
  '€255.86 sexta-feira, 20 de novembro de 2026',
  '€255.86 20/11/2026 às 10:30',
  '€255.86 20th of November 2026',
  '€255.86 Fri Nov 20 10:30:00 2026',
  'Fri Nov 20 10:30:00 UTC 2026 €255.86',
])('reads the amount and the whole day of %j', (text) => {
  expect(readQuery(text).amount).toEqual({
    digits: ['255.86'],
    currency: 'EUR',
    day: { kind: 'date', day: 20, month: 11, year: 2026 },
  })
})

it.each(['€255.86 (20 Nov)', '20 Nov: €255.86', '€255.86 | 20 Nov', '[20 Nov] €255.86', '€255.86 20Nov'])(
  'reads the amount and the day of %j',
  (text) => {
    expect(readQuery(text).amount).toEqual({
      digits: ['255.86'],
      currency: 'EUR',
      day: { kind: 'date', day: 20, month: 11, year: null },
    })
  },
)

it.each([
  ['255,86 € heute', 0],
  ['hoy 255,86 €', 0],
  ['255,86 € hoje', 0],
  ['255,86 € gestern', 1],
  ['ayer: 255,86 €', 1],
  ['255,86 € ontem', 1],
  ["255,86 € aujourd'hui", 0],
])('reads the day of %j in the languages of customers', (text, days) => {
  expect(readQuery(text).amount).toMatchObject({ digits: ['255.86'], day: { kind: 'days-ago', days } })
})

it.each([
  ['20 Nov 2026 EUR', '2026', null],
  ['20 Nov 26 5 EUR', '5', 2026],
  ['500 EUR 20 Nov 26', '500', 2026],
  ['20 Nov 26.50 EUR', '26.50', null],
  ['20 Nov 26 EUR', '26', null],
  ['20 Nov 26 000 EUR', '26000', null],
  ['EUR 5 Nov 20', '5', null],
  ['20 Nov 5 EUR', '5', null],
  ['20 Nov 5€', '5', null],
  ['€5 Nov 20', '5', null],
  ['5 EUR 20 Nov', '5', null],
  ['5 Fri 20 Nov 2026', '5', 2026],
  ['€5 20 Nov 21:05', '5', null],
  ['€5 Nov 20, 2026', '5', 2026],
  ['5 EUR Nov 20', '5', null],
])('reads a year in %j only where an amount is left without it', (text, digits, year) => {
  expect(readQuery(text).amount).toMatchObject({ digits: [digits], day: { day: 20, month: 11, year } })
})

it.each([
  '20 Nov 25 255.86 EUR',
  '20 Nov 5',
  '20 Nov 26 500 EUR',
  '255.86 20 Nov 99',
  '255.86 26/11/20',
  '255.86 5/6/26',
  '5.49 20 Nov 5.50',
])('refuses %j in words: it may mean two things, or neither', (text) => {
  const reading = readQuery(text)
  expect(reading.explanation).toMatch(/^No ID and no amount/)
  expect(isSearchable(reading)).toBe(false)
})

it.each([
  '20 Nov 26',
  '"20 Nov 2026"',
  "20 Nov '26",
  '20/11/26',
  '2026-11-20T14:05:00+01:00',
  '(20 Nov)',
  'am 20.11.2026:',
])('knows that %j is a day alone', (text) => {
  expect(readQuery(text).explanation).toMatch(/^A day alone/)
})

it.each([
  '20 Nov 1o',
  "'20 Nov 2026",
  '20261120',
  '20dec',
  '12feb',
  '3192 20261120',
  '31926819 20261120',
  '1234 20dec',
  '1234 5678 cad',
])('takes %j for a part of an id, although it may hold a day or a currency', (text) => {
  const reading = readQuery(text)
  expect(reading.amount).toBeUndefined()
  expect(reading.probes.length).toBeGreaterThan(0)
})

it.each(['Hoy', 'Chris Hoy', 'Heute', 'R12345', 'S/2046'])('looks for a person by %j', (text) => {
  const { amount, name, accountNumber } = readQuery(text)
  expect(amount).toBeUndefined()
  expect(name ?? accountNumber).toBeDefined()
})

it.each(['12 20 Nov 345 EUR', '5 am 20. Nov', '12) (345 EUR', '1|234 EUR', '1(234) EUR'])(
  'reads no amount out of the parts of %j',
  (text) => {
    expect(readQuery(text).amount).toBeUndefined()
  },
)

it.each([
  ['255.86 (EUR)', 'EUR'],
  ['EUR: 255.86', 'EUR'],
  ['[EUR] 255.86', 'EUR'],
  ['Amount (EUR): 255.86', 'EUR'],
  ['Amount: € 255.86', 'EUR'],
  ['Betrag | 255,86 | EUR', 'EUR'],
  ['$255.86 AUD', 'AUD'],
  ['CAD $255.86', 'CAD'],
  ['$255.86 USD', 'USD'],
  ['MXN$255.86', 'MXN'],
  ['S/ 255.86', 'PEN'],
  ['R255.86', 'ZAR'],
  ['R 255,86', 'ZAR'],
  ['255.86 US dollars', 'USD'],
  ['255.86 Canadian dollars', 'CAD'],
  ['255.86 Mexican pesos', 'MXN'],
])('reads the currency of %j', (text, currency) => {
  expect(readQuery(text).amount).toMatchObject({ digits: ['255.86'], currency })
})

it.each(['Ana 42 yesterday', 'apples 5 20 Nov'])('refuses no name with a number and a day: %j', (text) => {
  expect(readQuery(text)).toMatchObject({ name: text })
})

it.each([
  ['(5.49) 2:05 pm 20 Nov', '5.49'],
  ['Fri 20 Nov 2026, 14:05, 5.49 EUR', '5.49'],
  ['20 Nov 14:05 -2550 EUR', '2550'],
])('reads the amount beside the time of day in %j', (text, digits) => {
  expect(readQuery(text).amount).toMatchObject({ digits: [digits], day: { day: 20, month: 11 } })
})

it('reads a plain sign of dollars beside the code of a peso, and a fraction without its zero', () => {
  expect(readQuery('$ 255.860 COP').amount).toMatchObject({ digits: ['255.860', '255860'], currency: 'COP' })
  expect(readQuery('.50 EUR').amount).toMatchObject({ digits: ['0.50'], currency: 'EUR' })
  expect(readQuery('€ ,50').amount).toMatchObject({ digits: ['0.50'], currency: 'EUR' })
  for (const text of ['$5 EUR', 'US$5 AUD', '€5 USD', '$5 BRL', '$255.86 PLN'])
    expect(readQuery(text).amount, text).toBeUndefined()
})

const coins = 'USDC USDT EURC PYUSD EURE USDS FDUSD USDC.e USDT0 USDCE BUSD TUSD GHO CUSD DAI'.split(' ')

it.each(languages)('reads every amount that a page prints in %s', (language) => {
  for (const currency of [...Intl.supportedValuesOf('currency'), ...coins])
    for (const amount of ['207.71', '1207.71', '255', '-4.76', '1234567.5'] as const satisfies Decimal[]) {
      const printed = formatMoney(amount, currency, language)
      const { amount: read } = readQuery(printed)
      expect(read?.currency, printed).toBe(currency.toUpperCase())
      expect(read?.digits.map(Number), printed).toContain(Math.abs(Number(amount)))
    }
})

it('reads the decimals of a currency that it does not know', () => {
  expect(readQuery('207.71 NEWUSD').amount).toMatchObject({ digits: ['207.71'], currency: 'NEWUSD' })
  expect(readQuery('207,71 NEW.E 20 Nov').amount).toMatchObject({ digits: ['207.71'], currency: 'NEW.E' })
  for (const text of ['207.71 newusd', 'NEWUSD 207.71', '207.71NEWUSD', '207 NEWUSD', 'V 2.5 NEWUSD'])
    expect(readQuery(text).amount, text).toBeUndefined()
  expect(['EUR', 'CDF', 'NEWUSD', 'USDC'].map(isOnChain)).toEqual([false, false, true, true])
})

it.each([
  ...['ALL4711', '4711CUP', 'all 4711', '1234 cdf', '1234CDF', 'Top 42'],
  ...['CG12345', '12345CG', 'cg1234567', 'CFPF1234', 'FCFA4711', 'Cg.4711'],
])('takes the code or the letters of a rare currency beside a whole number for none in %j', (text) => {
  expect(readQuery(text).amount).toBeUndefined()
})

it.each(languages)('reads the amount beside an exact time as it is printed in %s', (language) => {
  // Portuguese writes the day first, in numbers: the 20th can be no month.
  for (const zone of [
    'UTC',
    'Europe/Berlin',
    'Europe/London',
    'America/New_York',
    'Asia/Kolkata',
    'Asia/Dubai',
  ])
    for (const at of ['2026-11-20T14:17:20.123Z', '2026-07-20T14:17:20.123Z']) {
      const time = formatExactTime(at, 0, zone, language)
      for (const text of [`${time} €255.86`, `€255.86 ${time}`]) {
        const month = at.slice(5, 7) === '11' ? 11 : 7
        expect(readQuery(text).amount, text).toEqual({
          digits: ['255.86'],
          currency: 'EUR',
          day: { kind: 'date', day: 20, month, year: 2026 },
        })
      }
    }
})

it('takes no amount for a part of a time', () => {
  for (const text of ['20 Nov 14:05:00, 5.49 EUR', '20 Nov 14:05 UTC -5.49 EUR', '20 Nov 14:05 -5.49 EUR'])
    expect(readQuery(text).amount, text).toMatchObject({ digits: ['5.49'], currency: 'EUR' })
})

it.each(languages)('reads the amount beside a day with its weekday as it is written in %s', (language) => {
  for (let day = 16; day <= 22; day++)
    for (const weekday of ['long', 'short'] as const) {
      const form = { weekday, day: 'numeric', month: weekday, year: 'numeric', timeZone: 'UTC' } as const
      const said = new Intl.DateTimeFormat(localeOf(language), form).format(Date.UTC(2026, 10, day))
      for (const text of [`${said} €255.86`, `€255.86 ${said}`])
        expect(readQuery(text).amount, text).toEqual({
          digits: ['255.86'],
          currency: 'EUR',
          day: { kind: 'date', day, month: 11, year: 2026 },
        })
    }
})

it('takes a short weekday beside a day for a currency as before', () => {
  expect(readQuery('255.86 Fr. 20 Nov').amount).toMatchObject({ digits: ['255.86'], currency: 'CHF' })
})
