/** An id short enough for a table, `2046967a…d1329` or `0x26D0…8932`; one of up to 15 characters stays whole. */
export function shortId(id: string): string {
  if (id.length <= 15) return id
  return id.startsWith('0x') ? `${id.slice(0, 6)}…${id.slice(-4)}` : `${id.slice(0, 8)}…${id.slice(-5)}`
}

/** Words for the middle of a sentence: with a small letter, unless they are a name in capitals that only the service knows. */
export const inSentence = (words: string): string =>
  /^[A-Z][a-z]/.test(words) ? `${words.charAt(0).toLowerCase()}${words.slice(1)}` : words

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
