import { type Decimal, parseDecimal } from '#lib/domain/text/decimal.ts'
import { findDay, type TypedDay } from './read-day.ts'

/** A sum of money that was typed. */
export interface TypedAmount {
  /** The digits, in both ways to read them where "1.234" may be a thousand or a fraction. */
  readonly digits: readonly Decimal[]
  /** In capitals; null when none was named. */
  readonly currency: string | null
  readonly day: TypedDay | null
}

/** What is typed about money: an amount, a day alone, or something with a point in it that is neither; null for any other text. */
export type AmountReading =
  | { readonly kind: 'amount'; readonly amount: TypedAmount }
  | { readonly kind: 'day-alone' }
  | { readonly kind: 'not-understood' }

/**
 * Reads "€255.86 20 Nov", "207.71 EUR yesterday" or "5.49". A whole number is an amount only with its currency or a day
 * beside it: alone it may begin an id.
 */
export function readAmount(text: string): AmountReading | null {
  const said = text.trim().replace(/\s+/g, ' ')
  const found = findDay(said)
  const rest = (found ? found.rest : said).replace(between, ' ').trim()
  if (found && rest === '') return { kind: 'day-alone' }
  if (!found && mayBePartOfId.test(rest)) return null
  const [, before, number, after] = shape.exec(rest) ?? []
  const currency = currencyOf(before || after || '')
  const digits = number === undefined || (before && after) ? [] : digitsOf(number)
  if (digits.length === 0 || currency === undefined)
    return looksLikeAmount.test(rest) && !hasIdOrMail.test(rest) ? { kind: 'not-understood' } : null
  if (currency === null && !found && !/[.,]/.test(number ?? '')) return null
  return { kind: 'amount', amount: { digits, currency, day: found?.day ?? null } }
}

/** Words that people put between an amount and a day. */
const between = /(^| )(on|of|at|from|the|,)(?= |$)/gi

const shape = /^([€$£]|[a-z]{3,5})? ?(\d[\d.,'’ ]*\d|\d) ?([€$£]|[a-z]{3,5})?$/i

/** As "12345678cad" is: of an amount people type the code apart, or in capitals. */
const mayBePartOfId = /^(?=.*[a-f])[0-9a-f]+$/

/** Digits around a point or a comma, which no id has. */
const looksLikeAmount = /\d[.,]\d/

/** A link, an address of a mail or an id shortened by dots may hold a point, too. */
const hasIdOrMail = /\.\.|…|@|:\/\/|\.[a-z]{2,}\/|0x/i

const symbols: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['$', 'USD'],
  ['£', 'GBP'],
])

/** Codes that may stand beside digits; any other word of a few letters is no currency. */
const codes: ReadonlySet<string> = new Set([
  ...'EUR USD GBP CHF BRL MXN COP ARS CLP PEN CAD AUD JPY SEK NOK DKK PLN CZK HUF RON BGN TRY ZAR NGN KES INR SGD HKD'.split(
    ' ',
  ),
  ...'USDC USDT EURC DAI ETH WETH BTC POL MATIC SOL AVAX BNB'.split(' '),
])

/** Null where none is named, undefined for a word that is none. */
function currencyOf(word: string): string | null | undefined {
  if (word === '') return null
  const code = symbols.get(word) ?? word.toUpperCase()
  return codes.has(code) ? code : undefined
}

/** Whether a currency is of the kind that lives on a chain. */
export const isOnChain = (currency: string): boolean =>
  /^(USDC|USDT|EURC|DAI|ETH|WETH|BTC|POL|MATIC|SOL|AVAX|BNB)$/.test(currency)

/** The last sign is the decimal one, unless it occurs twice; a single one before three digits may be either. */
function digitsOf(number: string): readonly Decimal[] {
  const text = number.replace(/['’ ]/g, '')
  const signs = text.replace(/\d/g, '')
  const last = signs.at(-1)
  if (last === undefined) return decimals(text)
  const other = last === '.' ? ',' : '.'
  const grouped = signs.split(last).length > 2
  if (grouped) return signs.includes(other) ? [] : decimals(withoutGroups(text, last))
  const [whole = '', fraction = ''] = text.split(last)
  const plain = withoutGroups(whole, other)
  if (plain === null) return []
  const asFraction = decimals(`${plain}.${fraction}`)
  const ambiguous = signs.length === 1 && fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  return ambiguous ? [...asFraction, ...decimals(whole + fraction)] : asFraction
}

/** Without the signs between thousands; null where they stand elsewhere. */
const withoutGroups = (text: string, sign: string): string | null => {
  const [first = '', ...groups] = text.split(sign)
  return groups.every((group) => group.length === 3) && first.length <= (groups.length > 0 ? 3 : 30)
    ? first + groups.join('')
    : null
}

function decimals(text: string | null): Decimal[] {
  const decimal = parseDecimal(text?.replace(/^0+(?=\d)/, '') ?? null)
  return decimal === null ? [] : [decimal]
}
