/** A `Decimal` is the digits of a JSON number that fit a PostgreSQL `numeric`, unchanged: `1.10`, `1e3`, `-0`. */
export type Decimal = `${number}`

/**
 * `parseDecimal` accepts a number's digits as an amount; null when they cannot be one. ASSUMED: digits longer than 400
 * characters, or with an exponent above 400, are no amount, and may not fit a `numeric` column or its index.
 */
export function parseDecimal(digits: string | null): Decimal | null {
  if (digits === null || digits.length > longest || !isDecimal(digits)) return null
  const exponent = Number(digits.split(/e/i)[1] ?? 0)
  return Math.abs(exponent) <= largestExponent ? digits : null
}

/** The count is of the digits after the decimal point, with the exponent included. It is never negative. */
export function fractionDigits(decimal: Decimal): number {
  const [mantissa = '', exponent = '0'] = decimal.split(/e/i)
  const written = mantissa.split('.')[1]?.length ?? 0
  return Math.max(0, written - Number(exponent))
}

/** `isZero` is true for an amount such as `0`, `-0` and `0.00`. */
export const isZero = (decimal: Decimal): boolean => !/[1-9]/.test(decimal.split(/e/i)[0] ?? '')

const longest = 400
const largestExponent = 400

const isDecimal = (digits: string): digits is Decimal =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)
