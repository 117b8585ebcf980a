import type { SeededRandom } from '../state/ids.ts'

/**
 * The account belongs to an invented bank, and its check digits are right, the national ones too. ASSUMED: a person in a
 * country without IBAN has an account in the United Kingdom.
 */
export function createIban(country: string, random: SeededRandom): string {
  const [code, { bank, length, check }] = formatOf(country)
  const room = length - bank.length
  const bban = bank + random.digits(Math.max(10, room)).slice(-room)
  const account = check ? rightOf(bban, check) : bban
  return `${code}${String(98 - remainder(`${account}${code}00`)).padStart(2, '0')}${account}`
}

interface Format {
  /** The number begins with the bank, and with noughts where there is more room than anybody needs. */
  readonly bank: string
  readonly length: number
  readonly check?: NationalCheck
}

/** The signs from `at` on are chosen so that `holds` is true. */
export interface NationalCheck {
  readonly at: number
  readonly signs: readonly string[]
  holds(bban: string): boolean
}

const gb: Format = { bank: 'TEST', length: 18 }

const formatOf = (country: string): [string, Format] => {
  const format = formats[country]
  return format ? [country, format] : ['GB', gb]
}

function rightOf(bban: string, { at, signs, holds }: NationalCheck): string {
  const [first = ''] = signs
  const [before, after] = [bban.slice(0, at), bban.slice(at + first.length)]
  const right = signs.map((sign) => `${before}${sign}${after}`).find(holds)
  if (right === undefined) throw new Error(`No check digits make ${bban} right`)
  return right
}

const oneDigit = Array.from('0123456789')
const twoDigits = oneDigit.flatMap((ten) => oneDigit.map((one) => ten + one))
/**
 * Banks use these pairs where check digits are 98 or 97 less a remainder, because two pairs then have the same remainder.
 */
const fromTwo = twoDigits.slice(2, 99)
const fromOne = twoDigits.slice(1, 98)
const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** Each country's banks define these check digits. */
export const nationalChecks: Readonly<Record<string, NationalCheck>> = {
  BE: {
    at: 10,
    signs: twoDigits,
    holds: (bban) => (modulo(bban.slice(0, 10), 97) || 97) === Number(bban.slice(10)),
  },
  CZ: { at: 18, signs: twoDigits, holds: holdsInCzechia },
  EE: { at: 15, signs: oneDigit, holds: (bban) => weigh(reversed(bban.slice(2)), [1, 7, 3]) % 10 === 0 },
  ES: { at: 8, signs: twoDigits, holds: holdsInSpain },
  FI: { at: 13, signs: oneDigit, holds: (bban) => luhn(bban) % 10 === 0 },
  FR: { at: 21, signs: fromOne, holds: (bban) => modulo(bban.replace(/[A-Z]/g, frenchDigit), 97) === 0 },
  HR: { at: 16, signs: oneDigit, holds: (bban) => isHybrid(bban.slice(0, 7)) && isHybrid(bban.slice(7)) },
  HU: {
    at: 23,
    signs: oneDigit,
    holds: (bban) => [bban.slice(0, 8), bban.slice(8)].every((part) => weigh(part, [9, 7, 3, 1]) % 10 === 0),
  },
  IT: { at: 0, signs: letters, holds: (bban) => letters[italianSum(bban.slice(1)) % 26] === bban[0] },
  NL: {
    at: 12,
    signs: twoDigits,
    holds: (bban) => weigh(bban.slice(4), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  },
  NO: { at: 9, signs: twoDigits, holds: (bban) => weigh(bban, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 },
  PL: {
    at: 7,
    signs: oneDigit,
    holds: (bban) => weigh(bban.slice(0, 8), [3, 9, 7, 1, 3, 9, 7, 1]) % 10 === 0,
  },
  PT: { at: 19, signs: fromTwo, holds: (bban) => modulo(bban, 97) === 1 },
  SI: { at: 13, signs: fromTwo, holds: (bban) => modulo(bban, 97) === 1 },
  SK: { at: 18, signs: twoDigits, holds: holdsInCzechia },
}

/** Every supported country with an IBAN has a format here. */
const formats: Readonly<Record<string, Format>> = {
  AT: format('000000', 16),
  BE: format('999', 12, 'BE'),
  BG: format('TEST0000', 18),
  CH: format('0000000', 17),
  CY: format('00000000000000', 24),
  CZ: format('0000000000', 20, 'CZ'),
  DE: format('00000000', 18),
  DK: format('0000', 14),
  EE: format('000000', 16, 'EE'),
  ES: format('00000000', 20, 'ES'),
  FI: format('000000', 14, 'FI'),
  FR: format('0000000000', 23, 'FR'),
  GB: gb,
  GR: format('0000000000000', 23),
  HR: format('0000009', 17, 'HR'),
  HU: format('00000000000000', 24, 'HU'),
  IE: format('TEST', 18),
  IT: format('X0000000000', 23, 'IT'),
  LT: format('000000', 16),
  LU: format('000000', 16),
  LV: format('TEST000', 17),
  MT: format('TEST0000000000000', 27),
  NL: format('TEST', 14, 'NL'),
  NO: format('99999', 11, 'NO'),
  PL: format('00000000000000', 24, 'PL'),
  PT: format('00000000', 21, 'PT'),
  RO: format('TEST000000', 20),
  SE: format('0000000000', 20),
  SI: format('00000', 15, 'SI'),
  SK: format('0000000000', 20, 'SK'),
}

function format(bank: string, length: number, checkOf = ''): Format {
  const check = nationalChecks[checkOf]
  return { bank, length, ...(check && { check }) }
}

function holdsInCzechia(bban: string) {
  const weights = [6, 3, 7, 9, 10, 5, 8, 4, 2, 1]
  const [prefix, account] = [bban.slice(4, 10), bban.slice(10)]
  return weigh(prefix, weights.slice(4)) % 11 === 0 && weigh(account, weights) % 11 === 0
}

function holdsInSpain(bban: string) {
  const weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]
  const digit = (text: string) => {
    const check = 11 - (weigh(text, weights.slice(-text.length)) % 11)
    return check > 9 ? 11 - check : check
  }
  // 11 becomes 0 and 10 becomes 1.
  return `${digit(bban.slice(0, 8))}${digit(bban.slice(10))}` === bban.slice(8, 10)
}

/** Letters A to I become 1 to 9, J to R become 1 to 9, and S to Z become 2 to 9. */
const frenchDigit = (letter: string) => {
  const place = letters.indexOf(letter)
  return String(place < 18 ? (place % 9) + 1 : place - 16)
}

/** Signs at odd places use this table, and signs at even places use their place in the alphabet. */
const italianOdd = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]

const italianSum = (text: string) =>
  Array.from(text).reduce((sum, sign, index) => {
    const place = /\d/.test(sign) ? Number(sign) : letters.indexOf(sign)
    return sum + (index % 2 === 0 ? (italianOdd[place] ?? 0) : place)
  }, 0)

/** The function checks ISO 7064, MOD 11,10. */
function isHybrid(text: string) {
  let rest = 10
  for (const digit of text.slice(0, -1)) rest = (((Number(digit) + rest) % 10 || 10) * 2) % 11
  return (rest + Number(text.at(-1))) % 10 === 1
}

const luhn = (text: string) =>
  Array.from(reversed(text)).reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)

/** Each digit is multiplied by its weight. The weights start again when there are more digits. */
const weigh = (text: string, weights: readonly number[]) =>
  Array.from(text).reduce(
    (sum, digit, index) => sum + Number(digit) * (weights[index % weights.length] ?? 0),
    0,
  )

const reversed = (text: string) => Array.from(text).reverse().join('')

const modulo = (digits: string, divisor: number) => Number(BigInt(digits) % BigInt(divisor))

/** The number, with letters as 10 to 35, is divided by 97 (ISO 13616). */
const remainder = (text: string) =>
  modulo(
    text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55)),
    97,
  )
