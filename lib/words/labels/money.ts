import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { type Decimal, fractionDigits, isZero, parseDecimal } from '#lib/platform/rules/decimal.ts'
import { localeOf } from '#lib/platform/rules/language.ts'

/**
 * `formatMoney` writes an amount for people: `€4.76`, `£1,250.00`, `5 USDC`, or only digits without a currency. It never
 * rounds. A fiat currency gets at least its usual digits. `locale` is a BCP 47 tag.
 */
export function formatMoney(amount: Decimal, currency: string | null, locale = 'en'): string {
  const { value, numbers, unit } = wayOf(amount, currency, locale)
  return `${numbers.format(value)}${unit}`
}

/** The pieces of an amount let a column of amounts align at the decimal point. */
export interface MoneyParts {
  /** The piece has all before the decimal point: `€1,250`. */
  readonly whole: string
  /** The piece has the decimal point and up to two digits: `.00`. */
  readonly decimals: string
  /** The piece has the digits after the second one. */
  readonly finer: string
  /** The unit follows the digits: ` USDC`, and in some languages ` €`. */
  readonly unit: string
}

/** The pieces together are the text of `formatMoney`. */
export function moneyParts(amount: Decimal, currency: string | null, locale = 'en'): MoneyParts {
  const { value, numbers, unit } = wayOf(amount, currency, locale)
  const parts = numbers.formatToParts(value)
  const lastDigit = parts.findLastIndex(({ type }) => type === 'integer')
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? ''
  const fraction = parts.find(({ type }) => type === 'fraction')?.value ?? ''
  const behind = parts.slice(lastDigit + 1).filter(({ type }) => type !== 'decimal' && type !== 'fraction')
  return {
    whole: textOf(parts.slice(0, lastDigit + 1)),
    decimals: `${point}${fraction.slice(0, 2)}`,
    finer: fraction.slice(2),
    unit: `${textOf(behind)}${unit}`,
  }
}

/** The result has the value, its formatter, and the code of a currency that no formatter knows. */
function wayOf(amount: Decimal, currency: string | null, locale: string) {
  const value = isZero(amount) ? zeroLike(amount) : amount
  const code = currency?.toUpperCase() ?? null
  if (code !== null && fiatCodes.has(code)) return { value, numbers: inFiat(value, code, locale), unit: '' }
  return { value, numbers: inDigits(value, locale), unit: code === null ? '' : ` ${code}` }
}

const textOf = (parts: readonly Intl.NumberFormatPart[]) => parts.map(({ value }) => value).join('')

/**
 * The rate says how much of `bought` one unit of `paid` bought. It has five significant digits, and is null when it cannot
 * be computed.
 */
export function computedRate(paid: Decimal, bought: Decimal, locale = 'en'): string | null {
  const rate = Number(bought) / Number(paid)
  if (!Number.isFinite(rate) || rate <= 0) return null
  return new Intl.NumberFormat(localeOf(locale), { maximumSignificantDigits: 5 }).format(rate)
}

/**
 * The label "1 EUR = 1.0504 USDC" says what one unit of the paid currency bought. It is null while one side is not known.
 */
export function rateLabel(
  {
    direction,
    amountFiat,
    currencyFiat,
    amountCrypto,
    currencyCrypto,
  }: {
    readonly direction: Direction | null
    readonly amountFiat: string | null
    readonly currencyFiat: string | null
    readonly amountCrypto: string | null
    readonly currencyCrypto: string | null
  },
  locale = 'en',
): string | null {
  const fiat = { amount: parseDecimal(amountFiat), unit: currencyFiat?.toUpperCase() }
  const coins = { amount: parseDecimal(amountCrypto), unit: currencyCrypto?.toUpperCase() }
  const [paid, bought] = direction === 'cryptoToFiat' ? [coins, fiat] : [fiat, coins]
  if (paid.amount === null || bought.amount === null || !paid.unit || !bought.unit) return null
  const rate = computedRate(paid.amount, bought.amount, locale)
  return rate && `1 ${paid.unit} = ${rate} ${bought.unit}`
}

const fiatCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Intl shows at most this many digits after the point. */
const shown = (amount: Decimal) => Math.min(100, fractionDigits(amount))

/** Zero loses its sign. */
function zeroLike(amount: Decimal): Decimal {
  return amount.startsWith('-') ? '0' : amount
}

function inFiat(amount: Decimal, currency: string, locale: string): Intl.NumberFormat {
  return formatter(locale, currency, Math.max(shown(amount), usualDigits(currency)))
}

const usual = new Map<string, number>()

/** Each currency has a usual number of digits after the decimal point. The cache saves time: a formatter answers slowly. */
function usualDigits(currency: string): number {
  const known = usual.get(currency)
  if (known !== undefined) return known
  const digits = formatter('en', currency, null).resolvedOptions().minimumFractionDigits ?? 0
  usual.set(currency, digits)
  return digits
}

const inDigits = (amount: Decimal, locale: string): Intl.NumberFormat =>
  formatter(locale, null, shown(amount))

const formatters = new Map<string, Intl.NumberFormat>()

/**
 * `digits` counts those after the decimal point; null means the currency's usual number. Making a formatter is slow, so each
 * is kept.
 */
function formatter(locale: string, currency: string | null, digits: number | null): Intl.NumberFormat {
  const key = `${locale} ${currency} ${digits}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(localeOf(locale), {
    ...(currency === null ? {} : { style: 'currency', currency }),
    ...(digits === null ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  })
  formatters.set(key, made)
  return made
}
