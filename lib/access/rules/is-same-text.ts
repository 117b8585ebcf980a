import { plainText } from '#lib/platform/rules/pasted-text.ts'

/** Whether two spellings say the same to people: case, accents, spaces, dots and dashes make no difference. */
export const isSameText = (one: string, other: string): boolean =>
  plain(one) !== '' && plain(one) === plain(other)

const plain = (text: string) =>
  plainText(text)
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[\p{M}\s.,'’-]/gu, '')
