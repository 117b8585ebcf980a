import type { SeededRandom } from '../state/random.ts'

/** An account whose check digits are right and whose bank, TEST or all noughts, exists nowhere. */
export function createIban(country: string, random: SeededRandom): string {
  const account = (formats.get(country) ?? formats.get('NL'))?.(random) ?? ''
  const code = formats.has(country) ? country : 'NL'
  return `${code}${String(98 - remainder(`${account}${code}00`)).padStart(2, '0')}${account}`
}

const formats = new Map<string, (random: SeededRandom) => string>([
  ['GB', (random) => `TEST${random.digits(14)}`],
  ['IE', (random) => `TEST${random.digits(14)}`],
  ['NL', (random) => `TEST${random.digits(10)}`],
  ['DE', (random) => `00000000${random.digits(10)}`],
  ['ES', (random) => `00000000${random.digits(12)}`],
  ['FR', (random) => `0000000000${random.digits(13)}`],
  ['IT', (random) => `X0000000000${random.digits(12)}`],
  ['PT', (random) => `00000000${random.digits(13)}`],
])

/** ISO 13616: the number, letters as 10 to 35, divided by 97. */
function remainder(text: string) {
  const digits = text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return Number(BigInt(digits) % 97n)
}
