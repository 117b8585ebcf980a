/** The dots replace the characters that are not shown. */
const dots = '•••'

/** A masked text is not shown whole, so it cannot be searched for. */
export const isMasked = (text: string): boolean => text.includes(dots)

/**
 * An IBAN becomes `DE•••3000`, another number of at least eight characters `•••5678`, a shorter one only dots. The check
 * digits are never shown: with the bank and the last four digits, a hundred possible numbers would remain (GB).
 */
export function maskAccountNumber(number: string): string {
  const compact = number.replace(/[^\p{L}\p{N}]/gu, '')
  if (compact.length < 8) return dots
  const country = /^[a-z]{2}(?=\d{2})/i.exec(compact)?.[0]
  return `${compact.length >= 15 && country ? country : ''}${dots}${compact.slice(-4)}`
}

/** An address becomes `a•••@demo.test`; another text keeps the first letter of each word: `A••• G•••`. */
export function maskPerson(text: string): string {
  if (/^\S[^\s@]*@\S+$/.test(text)) return text.replace(/(.).*@/u, `$1${dots}@`)
  const words = text.match(/\S+/g) ?? []
  return words
    .slice(0, 4)
    .map((word) => word.replace(/(.).*/u, `$1${dots}`))
    .join(' ')
}

/** The dots say only that there is a value. */
export const maskWholly = (): string => dots
