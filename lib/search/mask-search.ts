import 'server-only'
import type { Role } from '#lib/domain/access/roles.ts'
import { showValue } from '#lib/domain/access/show-value.ts'
import { type Information, visibilityOf } from '#lib/domain/access/visibility.ts'
import { findWholeIds } from '#lib/domain/search/find-whole-ids.ts'
import { findIban } from '#lib/domain/search/iban.ts'
import { readIdInstead, readQuery } from '#lib/domain/search/read-query.ts'
import { findEmailAddress } from '#lib/domain/text/email-address.ts'
import { type CleanText, cleanText } from '#lib/domain/text/pasted-text.ts'

/**
 * A text that somebody else searched for, as this role may see it. By what it holds, whether the search understood it or not: numbers,
 * names and addresses are masked wherever they stand.
 */
export const maskSearch = (role: Role, text: CleanText): string =>
  sorts.every((sort) => visibilityOf(role, sort) === 'plain')
    ? text
    : text
        .split(/[\r\n]+/)
        .map((line) => maskLine(role, cleanText(line)))
        .join('\n')

const sorts = ['account-number', 'person', 'wallet'] as const satisfies readonly Information[]

function maskLine(role: Role, line: CleanText): string {
  if (isAmount(line)) return line
  const ids = findWholeIds(line).filter(({ kind }) => kind !== 'bare-uuid')
  const masked: string[] = []
  let at = 0
  for (const { kind, from, to } of ids) {
    const id = line.slice(from, to)
    masked.push(maskWords(role, line.slice(at, from)), kind === 'wallet' ? shown(role, 'wallet', id) : id)
    at = to
  }
  return [...masked, maskWords(role, line.slice(at))].join('')
}

/** Digits in a row with a currency may be the number of an account. */
const isAmount = (line: CleanText) =>
  readQuery(line).amount !== undefined && readIdInstead(line) === null && !/\d{8}/.test(line)

const shown = (role: Role, sort: Information, text: string) => showValue(role, sort, text) ?? ''

/** E-mail addresses tell of a person alone, whatever digits they have. */
function maskWords(role: Role, words: string): string {
  const email = findEmailAddress(cleanText(words))
  const at = email === null ? -1 : words.indexOf(email)
  if (email === null || at === -1) return maskNumbers(role, words)
  const [before, after] = [words.slice(0, at), words.slice(at + email.length)]
  return maskNumbers(role, before) + shown(role, 'person', email) + maskWords(role, after)
}

/** Fewer digits are no account number, and no part of one that tells anything. */
const fewestDigits = 4

/** From the first digit that may be one of a number to the last: what stands between belongs to it, or is not worth the risk. */
function maskNumbers(role: Role, words: string): string {
  const place = placeOfNumbers(words)
  if (place === null || visibilityOf(role, 'account-number') === 'plain') return maskNames(role, words)
  const number = shown(role, 'account-number', words.slice(place.from, place.to))
  return maskNames(role, words.slice(0, place.from)) + number + maskNames(role, words.slice(place.to))
}

function placeOfNumbers(words: string): { readonly from: number; readonly to: number } | null {
  const iban = findIban(words)
  const digits = [...words.matchAll(wordWithDigit)]
  if (iban === null && digits.join('').replace(/\D/g, '').length < fewestDigits) return null
  const [first, last] = [digits[0], digits.at(-1)]
  const from = Math.min(iban?.from ?? Number.POSITIVE_INFINITY, first?.index ?? Number.POSITIVE_INFINITY)
  const to = Math.max(iban?.to ?? 0, (last?.index ?? 0) + (last?.[0].length ?? 0))
  return { from, to }
}

/** With groups of capitals beside it, as an IBAN has them. */
const wordWithDigit =
  /(?:(?<![\p{L}\p{N}])[A-Z]{2}[ .\-_])?[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*(?:[ .\-_][A-Z]{1,4}(?![\p{L}\p{N}]))*/gu

/** Spaces around them stay. */
const maskNames = (role: Role, words: string): string =>
  visibilityOf(role, 'person') === 'plain' || words.trim() === ''
    ? words
    : words.replace(/\S.*\S|\S/s, (names) => shown(role, 'person', names))
