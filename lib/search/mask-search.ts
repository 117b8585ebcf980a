import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { type Information, showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import { findEmailAddress } from '#lib/platform/rules/mail-address.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findWholeIds, isBare, joinIdLines } from '#lib/platform/rules/whole-ids.ts'
import { findIbans, joinIbanLines } from './rules/iban.ts'
import { isPlainlyMoney } from './rules/read-amount.ts'
import { readIdInstead, readQuery } from './rules/read-query.ts'

/**
 * Somebody else's search text is shown as this role may see it. Numbers, names and addresses are masked
 * wherever they are, even if the search did not understand them.
 */
export const maskSearch = (role: Role, text: CleanText): string =>
  sorts.every((sort) => visibilityOf(role, sort) === 'plain')
    ? text
    : joinIbanLines(joinIdLines(text))
        .split(/[\r\n]+/)
        .map((line) => maskLine(role, cleanText(line)))
        .join('\n')

const sorts = ['account-number', 'person', 'wallet'] as const satisfies readonly Information[]

function maskLine(role: Role, line: CleanText): string {
  if (isAmount(line)) return line
  if (oneGroup.test(line)) return shown(role, 'account-number', line)
  const masked: string[] = []
  let at = 0
  for (const { from, to, text } of wholeNumbers(role, line)) {
    if (from < at) continue
    masked.push(maskWords(role, line.slice(at, from)), text)
    at = to
  }
  return [...masked, maskWords(role, line.slice(at))].join('')
}

/** Ids and IBANs are found first, because an e-mail address may touch one and would then contain it. */
function wholeNumbers(role: Role, line: CleanText) {
  const ids = findWholeIds(line)
    .filter((id) => !isBare(id))
    .map(({ kind, from, to }) => {
      const id = line.slice(from, to)
      return { from, to, text: kind === 'wallet' ? shown(role, 'wallet', id) : id }
    })
  const ibans = findIbans(line).map(({ iban, from, to }) => ({
    from,
    to,
    text: shown(role, 'account-number', iban.toUpperCase()),
  }))
  return [...ids, ...ibans].toSorted((one, other) => one.from - other.from)
}

/** Groups of a number that were pasted on lines of their own are masked too. */
const oneGroup = /^(?=.*\d)[A-Z\d]{1,4}$/i

/** Digits next to a currency or a day may be an account number. */
function isAmount(line: CleanText): boolean {
  // A row of a table would be read by one cell alone, and the others shown.
  const { amount } = readQuery(cleanText(line.replaceAll('\t', ' ')))
  if (amount === undefined || !isPlainlyMoney(amount) || readIdInstead(line) !== null) return false
  return ![line, ...amount.digits.map(inGroups)].some((text) => /\d{8}/.test(text))
}

/** A point before three or more digits may separate groups of a number. */
const inGroups = (digits: string) => digits.replace(/\.(?=\d{3})/, '')

const shown = (role: Role, sort: Information, text: string) => showValue(role, sort, text) ?? ''

/** An e-mail address identifies only a person, whatever digits it has. */
const maskWords = (role: Role, words: string): string =>
  words
    .split(/((?<![^\s,;<>()[\]])[^\s,;<>()[\]]*@[^\s,;<>()[\]]*)/)
    .map((part, nth) => (nth % 2 === 1 ? maskAddress(role, part) : maskNumbers(role, part)))
    .join('')

function maskAddress(role: Role, word: string): string {
  const email = findEmailAddress(cleanText(word))
  const at = email === null ? -1 : word.indexOf(email)
  if (email === null || at === -1) return maskNumbers(role, word)
  const [number = ''] = numberBefore.exec(email) ?? []
  const own = email.slice(number.length).replace(numberBehind, '')
  const [from, to] = [at + number.length, at + number.length + own.length]
  return (
    maskNumbers(role, word.slice(0, from)) + shown(role, 'person', own) + maskNumbers(role, word.slice(to))
  )
}

/** A number that touches an address is no part of it: these signs separate them, or it follows the last letters of the host. */
const numberBefore = /^(?=(?:[^@\d]*\d){4}[^@]*[|/~*#=&][^@])[^@]*[|/~*#=&](?=[^@])/
const numberBehind = /(?<=\.[a-z]{2,20})\d{4,}$/i

/** A text with fewer digits is no account number, nor a telling part of one. */
const fewestDigits = 4

/** Everything from the first word with a digit to the last is masked: the text between may belong to it. */
function maskNumbers(role: Role, words: string): string {
  if (visibilityOf(role, 'account-number') === 'plain') return maskNames(role, words)
  const found = [...words.matchAll(wordWithDigit)]
  const [first, last] = [found[0], found.at(-1)]
  if (!first || !last || found.join('').replace(/\D/g, '').length < fewestDigits)
    return maskNames(role, words)
  const to = last.index + last[0].length
  const isLikeIban = /^[A-Z]{2}[ .\-_]?\d\d/.test(first[0])
  const more = isLikeIban
    ? (/^(?:[ .\-_][A-Z]{1,4}(?![\p{L}\p{N}]))*/u.exec(words.slice(to))?.[0].length ?? 0)
    : 0
  const number = shown(role, 'account-number', words.slice(first.index, to + more))
  return maskNames(role, words.slice(0, first.index)) + number + maskNames(role, words.slice(to + more))
}

/** The country may come before the digits, as in an IBAN in groups. */
const wordWithDigit = /(?<![\p{L}\p{N}])(?:[A-Z]{2}[ .\-_])?[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*/gu

/** Spaces around the names are kept. */
const maskNames = (role: Role, words: string): string =>
  visibilityOf(role, 'person') === 'plain' || words.trim() === ''
    ? words
    : words.replace(/\S.*\S|\S/s, (names) => shown(role, 'person', names))
