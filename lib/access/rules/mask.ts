/** What stands for the characters that are not shown. */
const dots = '•••'

/** Whether not all of a text is shown: then it cannot be looked for. */
export const isMasked = (text: string): boolean => text.includes(dots)

/**
 * `DE•••3000` for an IBAN, `•••5678` for another number of at least eight characters, dots alone for a shorter one. Never the
 * check digits: with the bank and the last four, which stand beside it, they leave a hundred possible numbers (GB).
 */
export function maskAccountNumber(number: string): string {
  const compact = number.replace(/[^\p{L}\p{N}]/gu, '')
  if (compact.length < 8) return dots
  const country = /^[a-z]{2}(?=\d{2})/i.exec(compact)?.[0]
  return `${compact.length >= 15 && country ? country : ''}${dots}${compact.slice(-4)}`
}

/** `a•••@demo.test`, and of any other text the first letter of each of its words: `A••• G•••`. */
export function maskPerson(text: string): string {
  if (/^\S+@\S+$/.test(text)) return text.replace(/(.).*@/u, `$1${dots}@`)
  const words = text.match(/\S+/g) ?? []
  return words
    .slice(0, 4)
    .map((word) => word.replace(/(.).*/u, `$1${dots}`))
    .join(' ')
}

/** Says only that there is something. */
export const maskWholly = (): string => dots
