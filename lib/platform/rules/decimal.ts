/** Digits that are a JSON number and fit a PostgreSQL `numeric`, still as they were written: `1.10`, `1e3`, `-0`. */
export type Decimal = `${number}`

/**
 * Takes a number's digits for an amount, or null when they cannot be one. ASSUMED: what is longer than 400
 * characters or has an exponent beyond 400 is no amount, and may not fit a `numeric` column or its index.
 */
export function parseDecimal(digits: string | null): Decimal | null {
  if (digits === null || digits.length > longest || !isDecimal(digits)) return null
  const exponent = Number(digits.split(/e/i)[1] ?? 0)
  return Math.abs(exponent) <= largestExponent ? digits : null
}

/** How many digits are written after the point, an exponent counted in; never negative. */
export function fractionDigits(decimal: Decimal): number {
  const [mantissa = '', exponent = '0'] = decimal.split(/e/i)
  const written = mantissa.split('.')[1]?.length ?? 0
  return Math.max(0, written - Number(exponent))
}

/** Whether it says nothing, as `0`, `-0` and `0.00` do. */
export const isZero = (decimal: Decimal): boolean => !/[1-9]/.test(decimal.split(/e/i)[0] ?? '')

const longest = 400
const largestExponent = 400

const isDecimal = (digits: string): digits is Decimal =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)
