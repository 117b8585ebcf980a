import { type Decimal, fractionDigits, isZero } from '#lib/domain/text/decimal.ts'

/**
 * An amount for people: `€4.76`, `£1,250.00`, `5 USDC`; digits alone without a currency. Never rounds: digits stay as
 * written, a fiat currency's usual ones are added. `locale` is a BCP 47 tag.
 */
export function formatMoney(amount: Decimal, currency: string | null, locale = 'en'): string {
  const value = isZero(amount) ? zeroLike(amount) : amount
  const code = currency?.toUpperCase() ?? null
  if (code !== null && fiatCodes.has(code)) return inFiat(value, code, locale)
  const digits = inDigits(value, locale)
  return code === null ? digits : `${digits} ${code}`
}

/** What one unit of `paid` bought of `bought`, computed: five significant digits, or null when it cannot be. */
export function computedRate(paid: Decimal, bought: Decimal, locale = 'en'): string | null {
  const rate = Number(bought) / Number(paid)
  if (!Number.isFinite(rate) || rate <= 0) return null
  return new Intl.NumberFormat(locale, { maximumSignificantDigits: 5 }).format(rate)
}

const fiatCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Intl shows at most this many digits after the point. */
const shown = (amount: Decimal) => Math.min(100, fractionDigits(amount))

/** Zero without its sign, digits kept. */
function zeroLike(amount: Decimal): Decimal {
  return amount.startsWith('-') ? '0' : amount
}

function inFiat(amount: Decimal, currency: string, locale: string): string {
  const usual = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions()
  const digits = Math.max(shown(amount), usual.minimumFractionDigits ?? 0)
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount)
}

function inDigits(amount: Decimal, locale: string): string {
  const digits = shown(amount)
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount)
}
