/** An id is shortened for tables: `2046967a…d1329` or `0x26D0…8932`. An id of up to 15 characters stays whole. */
export function shortId(id: string): string {
  if (id.length <= 15) return id
  return id.startsWith('0x') ? `${id.slice(0, 6)}…${id.slice(-4)}` : `${id.slice(0, 8)}…${id.slice(-5)}`
}

/** Words inside a sentence begin with a small letter. A name in capitals, which only the service uses, stays as it is. */
export const inSentence = (words: string): string =>
  /^[A-Z][a-z]/.test(words) ? `${words.charAt(0).toLowerCase()}${words.slice(1)}` : words

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
