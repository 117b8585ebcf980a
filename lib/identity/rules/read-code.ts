import type { CleanText } from '#lib/platform/rules/pasted-text.ts'

/**
 * The code is found in the pasted text: "Your code: 361-836." is 361836. Null for a text without a code, or
 * with two: then the service is not asked, and no guess is used up.
 */
export function readCode(text: CleanText): string | null {
  const pasted = text.replace(/^["'`([{<]+|["'`)\]}>.,;:!?]+$/g, '')
  if (/^\d[\d .,\-_/]*$/.test(pasted)) return onlyOne([pasted.replace(/\D/g, '')])
  const labelled = /^(?:code|otp|pin|tan)[:=#-]?(\d{4,12})$/i.exec(pasted)?.[1]
  if (labelled !== undefined) return labelled
  if (/^[\da-z-]+$/i.test(pasted)) return pasted
  const numbers = (pasted.match(number) ?? []).map((one) => one.replace(/\D/g, ''))
  const usual = numbers.filter(({ length }) => length === 6)
  const joined = numbers.length > 0 ? [] : (pasted.match(/(?<!\d)\d{6}(?!\d)/g) ?? [])
  if (joined.length > 0) return onlyOne(joined)
  const words = numbers.length > 0 ? [] : pasted.split(/[\s"':;,.()<>]+/).filter((word) => mixed.test(word))
  return onlyOne(usual.length === 1 ? usual : [...numbers, ...words])
}

/** The digits are together, or in groups of the same length. */
const number =
  /(?<![\p{L}\p{N}]|[\p{L}\p{N}][.,-])(?:\d{4,12}|\d{2}([ .\-_/])\d{2}\1\d{2}|\d{3}[ .\-_/]\d{3}|\d{4}[ .\-_/]\d{4})(?![\p{L}\p{N}]|[.,-]\d)/gu

const mixed = /^(?=.*\d)(?=.*[a-z])[\da-z-]{4,}$/i

/** Nobody sends a shorter code. */
const shortest = 4

const onlyOne = ([one, another]: readonly string[]): string | null =>
  one !== undefined && another === undefined && one.length >= shortest ? one : null
