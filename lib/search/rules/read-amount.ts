import { type Decimal, parseDecimal } from '#lib/platform/rules/decimal.ts'
import { findDay, type TypedDay } from './read-day.ts'

/** Somebody typed this amount of money. */
export interface TypedAmount {
  /** "1.234" may be a thousand or a fraction, so the digits may be read in two ways. */
  readonly digits: readonly Decimal[]
  /** The currency is in upper case; null when none was named. */
  readonly currency: string | null
  readonly day: TypedDay | null
}

/**
 * A text about money is an amount, a day alone, or something with a point in it that is neither; null for any other text.
 */
export type AmountReading =
  | { readonly kind: 'amount'; readonly amount: TypedAmount }
  | { readonly kind: 'day-alone' }
  | { readonly kind: 'not-understood' }

/**
 * The amount is read from "€255.86 20 Nov", "−207,71 EUR yesterday" or "5.49". A whole number needs a currency
 * or a day, because alone it may begin an id. The sign is ignored: banks write outgoing amounts with one.
 */
export function readAmount(text: string): AmountReading | null {
  const said = text.trim().replace(/\s+/g, ' ')
  const found = findDay(said)
  const given = (found ? found.rest : said).replace(between, ' ').replace(/\s+/g, ' ').trim()
  if (found && given.replace(timeOfDay, '').trim() === '') return { kind: 'day-alone' }
  if (!found && mayBePartOfId.test(given)) return null
  const rest = (found ? given.replace(timeOfDay, '').trim() : given).replace(label, '')
  const [, before = '', number, after = ''] = shape.exec(withoutSign(rest)) ?? []
  const [one, other] = [currencyOf(before), currencyOf(after)]
  const isOne = before === '' || after === '' || one?.code === other?.code
  const currency = isOne ? (before === '' ? other : one) : undefined
  const digits = number === undefined ? [] : digitsOf(number)
  if (digits.length === 0 || currency === undefined)
    return looksLikeAmount.test(rest) && !hasIdOrMail.test(rest) ? { kind: 'not-understood' } : null
  if (currency === null && !found && !/[.,]/.test(number ?? '')) return null
  return { kind: 'amount', amount: { digits, currency: currency?.code ?? null, day: found?.day ?? null } }
}

/** People put these words between an amount and a day, or name the weekday. */
const between =
  /(^| )(on|of|at|from|the|,|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?)(?= |$)/gi

/** A time of day may follow a day and belongs to it. */
const timeOfDay =
  /(?:^|[ ,T])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:[ap]m)?(?: ?(?:Z|UTC|GMT|CES?T))?(?=[ ,]|$)/i

const label = /^(?:amount|total|sum|betrag|importe|montant|valor)\b ?[:=]? ?/i

/** The sign may be before or after the number or its currency, brackets, or a letter for "credit" or "debit". */
const withoutSign = (text: string): string =>
  text
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^(?:[~≈]|ca\.|approx\.?|about)\s?/i, '')
    .replace(/[;:,!]+$|(?<!\b(?:kr|fr|rs))\.$/i, '')
    .replace(/ (?:cr|dr|c|d|s|h|soll|haben|debit|credit)$/i, '')
    .replace(/[.,]-(?= ?(?:\D{0,10})$)/, '')
    .replace(/(?<![\d.,'])[+-] ?(?=\D{0,10}\d)|(?<=\d)[+-](?!\d)|(?<=\D)[+-]$/g, '')
    .trim()

/** A unit is a word, a sign, or both: `US$`, `US $`. */
const unit = '\\p{L}{0,3} ?\\p{Sc}|\\p{L}{1,12}\\.?(?: \\p{L}{1,9})?'
const shape = new RegExp(`^(${unit})? ?(\\d[\\d.,' ]*\\d|\\d) ?(${unit})?$`, 'iu')

/** "12345678cad" may be part of an id: people write the currency of an amount separately, or in capitals. */
const mayBePartOfId = /^(?=.*[a-f])[0-9a-f-]+$/

/** An id has no digits around a point or a comma. */
const looksLikeAmount = /\d[.,]\d/

/** A link, an e-mail address or an id shortened by dots may contain a point too. */
const hasIdOrMail = /\.\.|…|@|:\/\/|\.[a-z]{2,}\/|0x/i

/** Digits may be next to these codes; any other word of a few letters is no currency. */
const codes: ReadonlySet<string> = new Set([
  ...'EUR USD GBP CHF BRL MXN COP ARS CLP PEN CAD AUD NZD JPY CNY SEK NOK DKK PLN CZK HUF RON BGN TRY ZAR NGN KES INR SGD HKD UYU AED SAR ILS THB IDR PHP MYR VND KRW TWD UAH RUB EGP MAD GHS ISK RSD GEL KZT PKR'.split(
    ' ',
  ),
  ...'USDC USDT EURC DAI ETH WETH BTC POL MATIC SOL AVAX BNB'.split(' '),
])

/** Currencies have these signs and words; null when several share one. */
const named: ReadonlyMap<string, string | null> = new Map([
  ...Object.entries({
    EUR: '€ euro euros',
    USD: '$ us$ usd$ dollar dollars',
    GBP: '£ pound pounds',
    CHF: 'fr fr. sfr franken francs',
    BRL: 'r$ real reais',
    CAD: 'c$ ca$ can$',
    AUD: 'a$ au$',
    NZD: 'nz$',
    SGD: 's$',
    HKD: 'hk$',
    MXN: 'mx$ mex$',
    PLN: 'zł zl złoty zloty złotych zlotys',
    CZK: 'kč kc koruna korun',
    HUF: 'ft forint',
    RON: 'lei leu',
    BGN: 'лв лв.',
    TRY: '₺ tl lira',
    INR: '₹ rs rs. rupee rupees',
    NGN: '₦ naira',
    JPY: '¥ 円 yen',
    PEN: 'soles',
    KES: 'ksh shillings',
    ZAR: 'rand',
    BTC: '₿ bitcoin',
    ETH: 'ξ',
    RUB: '₽ руб руб.',
    UAH: '₴ грн',
    KRW: '₩',
    THB: '฿',
    VND: '₫',
    ILS: '₪',
    PHP: '₱',
    KZT: '₸',
    GEL: '₾',
    IDR: 'rp rp.',
    MYR: 'rm',
    CNY: '元',
  }).flatMap(([code, words]) => words.split(' ').map((word) => [word, code] as const)),
  ...'kr kr. krona kronor krone kroner peso pesos cop$ clp$ ars$'
    .split(' ')
    .map((word) => [word, null] as const),
])

/** Null when none is named, undefined for words that are no currency. */
function currencyOf(word: string): { readonly code: string | null } | null | undefined {
  if (word === '') return null
  const sign = named.get(word.toLowerCase().replace(/ (?=\p{Sc}$)/u, ''))
  if (sign !== undefined) return { code: sign }
  const code = word.toUpperCase()
  return codes.has(code) ? { code } : undefined
}

/** The currency exists on a chain. */
export const isOnChain = (currency: string): boolean =>
  /^(USDC|USDT|EURC|DAI|ETH|WETH|BTC|POL|MATIC|SOL|AVAX|BNB)$/.test(currency)

/** The last sign is the decimal one, unless it occurs twice; a single one before three digits may be either. */
function digitsOf(number: string): readonly Decimal[] {
  const text = number.replace(/[' ]/g, '')
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

/** The signs between thousands are removed; null when they are elsewhere. */
const withoutGroups = (text: string, sign: string): string | null => {
  const [first = '', ...groups] = text.split(sign)
  // India groups digits in pairs before the last three.
  const isIndian =
    sign === ',' && groups.length > 1 && groups.slice(0, -1).every((group) => group.length === 2)
  const last = groups.at(-1)
  const isGrouped = isIndian ? last?.length === 3 : groups.every((group) => group.length === 3)
  return isGrouped && first.length <= (groups.length > 0 ? 3 : 30) ? first + groups.join('') : null
}

function decimals(text: string | null): Decimal[] {
  const decimal = parseDecimal(text?.replace(/^0+(?=\d)/, '') ?? null)
  return decimal === null ? [] : [decimal]
}
