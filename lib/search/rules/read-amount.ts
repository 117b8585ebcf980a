import { type Decimal, parseDecimal } from '#lib/platform/rules/decimal.ts'
import { languages, localeOf } from '#lib/platform/rules/language.ts'
import { cleanText, plainLetters } from '#lib/platform/rules/pasted-text.ts'
import { type FoundDay, findDays, findDaysOfAmounts, type TypedDay } from './read-day.ts'

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
 * A text whose parts can be read in two ways is not understood; digits alone keep both readings.
 */
export function readAmount(text: string): AmountReading | null {
  const reading = readWhole(text)
  if (reading?.kind === 'amount' || !text.includes('\t')) return reading
  const cells = text.split('\t').filter((cell) => isCurrency(cell) || isMoneyOrDay(readWhole(cell)))
  const ofCells = readWhole(cells.map(unquoted).join(' '))
  return ofCells?.kind === 'amount' ? ofCells : reading
}

/** The other cells of a row of a table are left out. */
const isMoneyOrDay = (reading: AmountReading | null) =>
  reading?.kind === 'amount' || reading?.kind === 'day-alone'
const isCurrency = (cell: string) => codes.has(unquoted(cell).toUpperCase())

/** Spreadsheets write a text in quotes, and a formula behind `=`. */
const unquoted = (text: string) =>
  text
    .trim()
    .replace(/^=/, '')
    .replace(/^(["'])(.*)\1[;,]?$/s, '$2')

function readWhole(text: string): AmountReading | null {
  const said = unquoted(text).trim().replace(/\s+/g, ' ')
  const days = findDays(said)
  const besideDays = days.map(readBeside)
  if (besideDays.some((reading) => reading?.kind === 'day-alone')) return { kind: 'day-alone' }
  const readings = days.length > 0 ? besideDays : [readAlone(said), ...findDaysOfAmounts(said).map(readSure)]
  const amounts = readings.filter((reading) => reading?.kind === 'amount')
  // The day in "20 Nov 5 EUR" is not between the amount and its currency.
  const together = amounts.filter(({ isSplit }) => !isSplit)
  const [only, another] = together.length > 0 ? together : amounts
  if (only && !another) return { kind: 'amount', amount: only.amount }
  return readings.find((reading) => reading?.kind === 'not-understood') ?? (another ? notUnderstood : null)
}

const notUnderstood = { kind: 'not-understood' } as const

/** `isSplit`: the day is between the parts of the amount. */
type Reading =
  | Exclude<AmountReading, { kind: 'amount' }>
  | { readonly kind: 'amount'; readonly amount: TypedAmount; readonly isSplit?: boolean }

function readAlone(said: string): Reading | null {
  const given = withoutWords(said)
  return mayBePartOfId.test(given) ? null : readPlain(given, null)
}

function readBeside({ day, before, after }: FoundDay): Reading | null {
  const [ahead = '', behind = ''] = [before, after].map((part) =>
    withoutTime(withoutWords(withoutTime(part))),
  )
  const reading = readAround(ahead, behind, day)
  if (reading?.kind === 'amount' || reading?.kind === 'day-alone') return reading
  const [fewer, less] = [withoutDayWords(ahead, -1), withoutDayWords(behind, 0)]
  return fewer === ahead && less === behind ? reading : (readAround(fewer, less, day) ?? reading)
}

function readAround(ahead: string, behind: string, day: TypedDay): Reading | null {
  if (!ahead && !behind) return { kind: 'day-alone' }
  // Digits on both sides of the day are two numbers.
  const isTwo = /\d/.test(ahead) && /\d/.test(behind)
  const reading = readPlain(`${ahead}${isTwo ? ' | ' : ' '}${behind}`.trim(), day)
  return reading?.kind === 'amount' ? { ...reading, isSplit: ahead !== '' && behind !== '' } : reading
}

/** The words that belong to a day are left out where they touch it: at this end of the text. */
function withoutDayWords(text: string, end: -1 | 0): string {
  const words = text.split(' ')
  while (dayWords().has(plainLetters(words.at(end) ?? '').replace(/[.,]+$/, ''))) words.splice(end, 1)
  return words.join(' ')
}

/** Languages of customers have these words between a day and a time. */
const smallWords = 'um uhr a la las los el le as o de do da dia jour'.split(' ')
let namesOfDays: ReadonlySet<string> | undefined

/** Weekdays have long and short names. "Fr." may also be a franc: such a word is left out only where no amount is read with it. */
const dayWords = (): ReadonlySet<string> => {
  namesOfDays ??= new Set([
    ...smallWords,
    ...languages.flatMap((language) =>
      (['long', 'short'] as const).flatMap((weekday) => {
        const form = new Intl.DateTimeFormat(localeOf(language), { weekday, timeZone: 'UTC' })
        return Array.from({ length: 7 }, (_, nth) =>
          plainLetters(form.format(Date.UTC(2026, 0, 1 + nth))).replace(/\.$/, ''),
        )
      }),
    ),
  ])
  return namesOfDays
}

/** These days may be a part of an id, or a name, unless the amount beside them is one without them. */
function readSure(found: FoundDay): Reading | null {
  const reading = readBeside(found)
  if (reading?.kind !== 'amount') return null
  const { currency, digits } = reading.amount
  return currency !== null || digits.some((one) => one.includes('.')) ? reading : null
}

function readPlain(given: string, day: TypedDay | null): Reading | null {
  const rest = given.replace(label, '')
  const [, before = '', gap, number, gapBehind, after = ''] = shape.exec(withoutSign(rest)) ?? []
  const digits = number === undefined ? [] : digitsOf(number)
  const isFraction = /[.,]/.test(number ?? '')
  const currency = currencyBeside(
    { word: before, isFraction, isApart: gap === ' ' },
    { word: after, isFraction, isApart: gapBehind === ' ', isBehind: true },
  )
  if (digits.length === 0 || currency === undefined) {
    // Groups of an account number may stand beside a currency or a day.
    const isNumber =
      number !== undefined &&
      currency !== undefined &&
      (day !== null || (currency !== null && !/^[\da-f ]+$/.test(rest)))
    return (isNumber || looksLikeAmount.test(rest)) && !hasIdOrMail.test(rest) ? notUnderstood : null
  }
  if (currency === null && day === null && !looksLikeAmount.test(number ?? '')) return null
  return { kind: 'amount', amount: { digits, currency: currency?.code ?? null, day } }
}

const withoutTime = (text: string): string => text.replace(timeOfDay, ' ').trim()

/** Brackets, bars and colons are left out, except where they separate numbers. */
const withoutWords = (text: string): string =>
  text
    .replace(/(?<!\d[ ()[\]|]*)[()[\]|]|[()[\]|](?![ ()[\]|]*\d)|^ ?:|:(?=\s|$|\p{Sc})/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(between, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** People put these words between an amount and a day, or name the weekday. */
const between =
  /(^| )(on|of|at|from|the|vom|den|del|le|du|el|em|(?<!(?:^|[^\d.,])\d{1,2} )am|,|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]?)(?= |$)/gi

/** A time of day may follow a day and belongs to it. */
const timeOfDay =
  /(?:^|[ ,T])[0-2]?\d(?::| ?h ?)[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?(?:[ap]m|uhr|h(?:rs?|s)?))?(?: ?(?:UTC|GMT)[+-]\d{1,2}(?::\d{2})?|(?: ?(?:Z|UTC|GMT|[BG]ST|AZOS?T|[CEW]ES?T|[MOW]ES?Z))?(?:[+-]\d{2}(?::?\d{2})?| [+-]\d{2}:\d{2})?)(?=[ ,]|$)/i

const label = /^(?:amount|total|sum|betrag|importe|montant|valor)\b ?[:=]? ?/i

/** The sign may be before or after the number or its currency, brackets, or a letter for "credit" or "debit". */
const withoutSign = (text: string): string =>
  text
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^(?:[~≈]|ca\.|approx\.?|about)\s?/i, '')
    .replace(/[;:,!]+$|(?<!\b(?:kr|fr|rs))\.$/i, '')
    .replace(/(?: |(?<=\d))(?:cr|dr)$| (?:c|d|s|h|soll|haben|debit|credit)$|^(?:cr|dr)\.? (?=\P{L}*\d)/iu, '')
    .replace(/(?<=\d)\/[-=]$/, '')
    .replace(/[.,]-(?= ?(?:\D{0,10})$)/, '')
    .replace(/(?<![\d.,'])[+-] ?(?=\D{0,10}\d)|(?<=\d)[+-](?!\d)|(?<=\D)[+-]$/g, '')
    .trim()

/** A unit is a word, a sign, or both: `US$`, `US $`, `$US`, `U$S`. A coin may end in a digit, or in a point and letters. */
const coin = '\\p{L}{2,7}(?:\\d|\\.\\p{L}{1,3})(?= |$)'
const unit = `\\p{L}{0,3} ?\\p{Sc}|\\p{Sc}\\p{L}{2}|\\p{L}\\p{Sc}\\p{L}|S/\\.?|${coin}|\\p{L}{1,12}\\.?(?: \\p{L}{1,9})?`
const shape = new RegExp(`^(${unit})?( ?)(\\d[\\d.,' ]*\\d|\\d|[.,]\\d+)( ?)(${unit})?$`, 'iu')

/** "12345678cad" may be part of an id: people write the currency of an amount separately, or in capitals. */
const mayBePartOfId = /^(?=.*[a-f])[0-9a-f-]+$/

/** An id has no digits around a point or a comma. */
const looksLikeAmount = /\d[.,]\d/

/** A link, an e-mail address or an id shortened by dots may contain a point too. */
const hasIdOrMail = /\.\.|…|@|:\/\/|\.[a-z]{2,}\/|0x/i

/** Digits may be next to these codes. */
const codes: ReadonlySet<string> = new Set([
  ...'EUR USD GBP CHF BRL MXN COP ARS CLP PEN CAD AUD NZD JPY CNY SEK NOK DKK PLN CZK HUF RON BGN TRY ZAR NGN KES INR SGD HKD UYU AED SAR ILS THB IDR PHP MYR VND KRW TWD UAH RUB EGP MAD GHS ISK RSD GEL KZT PKR'.split(
    ' ',
  ),
  ...'USDC USDT EURC DAI ETH WETH BTC POL MATIC SOL AVAX BNB'.split(' '),
  ...'PYUSD EURE USDS FDUSD USDC.E USDCE USDT0 BUSD TUSD GHO CUSD USDP USDE RLUSD USDG'.split(' '),
])

/** This machine knows these codes of ISO 4217. */
const isoCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Currencies have these signs and words; null when several share one. */
const named: ReadonlyMap<string, string | null> = new Map([
  ...Object.entries({
    EUR: '€ euro euros',
    USD: '$ us$ usd$ u$s u$d dollar dollars usdollar usdollars',
    GBP: '£ pound pounds',
    CHF: 'fr fr. sfr franken francs',
    BRL: 'r$ real reais',
    CAD: 'c$ ca$ can$ canadiandollar canadiandollars',
    AUD: 'a$ au$ australiandollar australiandollars',
    NZD: 'nz$',
    SGD: 's$',
    HKD: 'hk$',
    ARS: 'ar$',
    CLP: 'cl$',
    COP: 'co$ col$',
    UYU: 'uy$',
    MXN: 'mx$ mex$ mexicanpeso mexicanpesos',
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

interface Named {
  readonly code: string | null
}

/** The word stands beside the number. `isFraction`: the number has a point or a comma. `isApart`: a blank is between. */
interface Beside {
  readonly word: string
  readonly isFraction: boolean
  readonly isApart: boolean
  readonly isBehind?: boolean
}

/** Null when none is named, undefined for words that are no currency, or for two currencies. */
function currencyBeside(before: Beside, after: Beside): Named | null | undefined {
  // Before a whole number, "R" and "S/" may begin the number of a customer.
  const inFront = before.isFraction ? ofFractions.get(before.word.toUpperCase()) : undefined
  const [one, other] = [inFront ? { code: inFront } : currencyOf(before), currencyOf(after)]
  if (before.word === '' || after.word === '') return before.word === '' ? other : one
  if (before.word === '$' && isOfDollars(other)) return other
  if (after.word === '$' && isOfDollars(one)) return one
  return one?.code === other?.code ? one : undefined
}

const ofFractions: ReadonlyMap<string, string> = new Map([
  ['R', 'ZAR'],
  ['S/', 'PEN'],
  ['S/.', 'PEN'],
])

/** People write the amounts of these currencies with a plain `$` too. */
const isOfDollars = (currency: Named | null | undefined): boolean =>
  /^(USD|CAD|AUD|NZD|SGD|HKD|TWD|MXN|COP|ARS|CLP|UYU)$/.test(currency?.code ?? '')

function currencyOf({ word, isFraction, isApart, isBehind = false }: Beside): Named | null | undefined {
  if (word === '') return null
  const sign = named.get(word.toLowerCase().replace(/ (?=(?:\p{Sc}|dollars?|pesos?)$)/u, ''))
  if (sign !== undefined) return { code: sign }
  const code = word.toUpperCase()
  if (codes.has(code)) return { code }
  // "MXN$" is a code and the sign of its currency.
  const ofSign = { code: code.replace(/ ?\$$/, '') }
  if (ofSign.code !== code && codes.has(ofSign.code) && isOfDollars(ofSign)) return ofSign
  // "CG12345" may be the number of a customer.
  const maySign = word.length <= longestSign && (isApart || isFraction || !/^[\p{L}.]+$/u.test(word))
  const printed = maySign ? printedSigns().get(word.toLowerCase()) : undefined
  if (printed !== undefined) return { code: printed }
  const isPrinted = isApart && word === code
  // A rare code beside a whole number may begin or end the number of a customer.
  if (isoCodes.has(code) && (isFraction || (isPrinted && !/^[A-F]+$/.test(code)))) return { code }
  // Pages print any other coin in capitals behind its amount.
  return isFraction && isPrinted && isBehind && /^(?=.{3,10}$)[A-Z]+(?:\d|\.[A-Z]+)?$/.test(code)
    ? { code }
    : undefined
}

const longestSign = 5
let signs: ReadonlyMap<string, string> | undefined

/** Pages print these signs in one of the languages, here in lower case. They are found once: that takes 50 ms. */
const printedSigns = (): ReadonlyMap<string, string> => {
  signs ??= new Map(
    [...isoCodes].flatMap((currency) =>
      languages.flatMap((language) => {
        const form = new Intl.NumberFormat(localeOf(language), { style: 'currency', currency })
        const sign = form.formatToParts(1).find(({ type }) => type === 'currency')?.value ?? currency
        const clean = cleanText(sign).toLowerCase()
        return sign === currency
          ? []
          : [clean, clean.replace(/\.$/, '')].map((one) => [one, currency] as const)
      }),
    ),
  )
  return signs
}

/** The currency exists on a chain: it is none of ISO 4217. */
export const isOnChain = (currency: string): boolean => !isoCodes.has(currency)

/**
 * A mask needs a currency that is known: another one may be somebody's name. Beside a rare one, a number without a sure
 * fraction may be one of an account or a customer.
 */
export const isPlainlyMoney = ({ digits: [first, other], currency }: TypedAmount): boolean =>
  currency === null ||
  codes.has(currency) ||
  (isoCodes.has(currency) && other === undefined && first?.includes('.') === true)

/** Amounts of this currency, in upper case, may have three digits after the point. */
export const hasThreeDecimals = (currency: string): boolean =>
  isOnChain(currency) ||
  (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
    0) >= 3

/** A blank or an apostrophe separates thousands before the point, and is nowhere else. */
function digitsOf(number: string): readonly Decimal[] {
  const blank = /[' ]/.exec(number)?.[0]
  if (blank === undefined) return digitsBySigns(number)
  const [, whole = '', fraction = ''] = /^([\d' ]+)([.,]\d+)?$/.exec(number) ?? []
  const plain = withoutGroups(whole, blank)
  return plain === null || /\D/.test(plain) ? [] : decimals(plain + fraction.replace(',', '.'))
}

/** The last sign is the decimal one, unless it occurs twice; a single one before three digits may be either. */
function digitsBySigns(text: string): readonly Decimal[] {
  if (/^[.,]/.test(text)) return decimals(`0.${text.slice(1)}`)
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

/** A zero before other digits is one of an account number. */
function decimals(text: string | null): Decimal[] {
  const decimal = parseDecimal(text)
  return decimal === null ? [] : [decimal]
}
