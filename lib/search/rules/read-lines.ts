import { findEmailAddress, withoutMarks } from '#lib/platform/rules/mail-address.ts'
import { type CleanText, cleanText, withoutListMarks } from '#lib/platform/rules/pasted-text.ts'
import {
  findShortIds,
  findWholeIds,
  isBare,
  joinBrokenAddress,
  joinIdLines,
} from '#lib/platform/rules/whole-ids.ts'
import { findIbans, ibanShape, isIban, joinIbanLines } from './iban.ts'
import { longestPaste } from './limits.ts'
import { isSearchable, longWordsIn, readQuery } from './read-query.ts'

/** Several things were pasted, and each is searched separately. */
export interface PastedLines {
  readonly lines: readonly CleanText[]
  /** The paste had this many more lines than one search takes. */
  readonly left: number
}

/** A search looks at this many lines. */
export const mostLines = 100

/** Blank lines are left out. */
export const writtenLines = (text: string): readonly string[] =>
  text.split(/[\r\n]+/).filter((line) => line.trim() !== '')

/**
 * A paste is split into lines when at least two of the first ones name something, or into the ids, IBANs, e-mail addresses or
 * numbers of its one line. Null when it is a single search.
 */
export function readLines(text: CleanText): PastedLines | null {
  const written = writtenLines(joinIbanLines(joinIdLines(text.slice(0, longestPaste))))
  const lines = written.slice(0, mostLines).map(cleanText)
  if (lines.length <= 1) return several(thingsIn(lines[0] ?? ''))
  const named = lines.filter(namesOne)
  return named.length >= 2 || lines.every(mayBeName) ? several(lines, written.length) : null
}

const several = (lines: readonly CleanText[], all = lines.length): PastedLines | null =>
  lines.length < 2 ? null : { lines: lines.slice(0, mostLines), left: Math.max(0, all - mostLines) }

/** Each thing occurs once, in its first place: a link may contain the same id twice. */
function thingsIn(line: string): readonly CleanText[] {
  const [whole, ibans] = [findWholeIds(line), findIbans(line)]
  const certain = [...whole.filter((id) => !isBare(id) && line.charAt(id.to) !== '@'), ...ibans]
  const emails = [...without(line, certain).matchAll(likeEmail)].flatMap(({ 0: text, index: from }) => {
    const written = findEmailAddress(cleanText(text))
    if (written === null) return []
    // A sign separates the address from what it touches.
    const found = /[^\s,;<>]/.test(line.charAt(from - 1)) ? withoutMarks(written) : written
    return [{ from, to: from + text.length, text: cleanText(found), key: found.toLowerCase() }]
  })
  const short = findShortIds(line).filter(
    ({ head, tail }) => !whole.some(({ id }) => id.startsWith(head) && id.endsWith(tail)),
  )
  // The part before the `@` of an address may look like a bare id.
  const ids = [
    ...whole.map((one) => ({ ...one, key: one.id.replace(/^0x/, '') })),
    ...short.map((one) => ({ ...one, key: `${one.head}…${one.tail}` })),
    ...ibans.map((one) => ({ ...one, key: one.iban })),
  ]
    .map(({ from, to, key }) => ({ from, key, text: cleanText(line.slice(from, to)) }))
    .filter(
      (id) => !emails.some(({ from, to, text }) => id.from >= from && id.from < to && text.includes(id.text)),
    )
  const found = new Map<string, CleanText>()
  for (const { key, text } of [...ids, ...emails].toSorted((one, other) => one.from - other.from))
    if (!found.has(key)) found.set(key, text)
  if (found.size > 0) return [...found.values()]
  const words = longWordsIn(line)
  return (words.length > 0 ? words : numbersIn(line)).map(cleanText)
}

/** Each of these parts becomes blanks, so that all others keep their places. */
const without = (line: string, parts: readonly { readonly from: number; readonly to: number }[]): string =>
  parts.reduce((rest, { from, to }) => rest.slice(0, from) + ' '.repeat(to - from) + rest.slice(to), line)

/** A line may list numbers. Groups of one number look alike when they are short, unless commas separate them. */
function numbersIn(line: string): readonly string[] {
  const words = line.split(/[,;\s]+/).filter((word) => word !== '')
  if (words.length < 2 || !words.every((word) => listed.test(word))) return []
  const isSeparated = /;|,\s/.test(line) || (line.includes(',') && /\p{L}/u.test(line))
  if (!isSeparated && (!words.every(isLong) || isOne(words))) return []
  const { probes, name, amount } = readQuery(cleanText(line))
  return amount === undefined && (probes.length > 0 || name !== undefined) ? words : []
}

const listed = /^#?(?=\S*\d)[\p{L}\p{N}][\p{L}\p{N}_-]{1,60}[\p{L}\p{N}]$/u
const isLong = (word: string) => word.length >= (/\p{L}/u.test(word) ? 5 : 8)

/** A space has broken one id or an IBAN, or separates the groups of one account number. */
function isOne(words: readonly string[]): boolean {
  const joined = words.join('')
  const isHexadecimal = /^(?:0x)?[0-9a-f-]+$/i.test(joined)
  return (
    (isHexadecimal && [32, 36, 40, 42, 64, 66].includes(joined.length)) ||
    ibanShape.test(joined.toLowerCase()) ||
    joinBrokenAddress(words.join(' ')) !== null ||
    isGroupsOfNumber(words)
  )
}

/** Numbers of one list are of equal length. Account numbers of a country have up to 26 digits. */
const isGroupsOfNumber = (words: readonly string[]): boolean =>
  /^\d{16,26}$/.test(words.join('')) &&
  (words.some(({ length }) => length !== words[0]?.length) || isHungarian(words.join('')))

/** Hungary writes groups of eight digits. In the first, and in the others together, the last digit is for checking. */
const isHungarian = (number: string): boolean =>
  [16, 24].includes(number.length) &&
  [number.slice(0, 8), number.slice(8)].every((part) => weightedSum(part) % 10 === 0)

const weightedSum = (digits: string): number =>
  [...digits].reduce((sum, digit, nth) => sum + Number(digit) * ([9, 7, 3, 1][nth % 4] ?? 0), 0)

/**
 * The lengths are limited so that a long text is read fast: an address has 64 characters before its `@` and 255
 * after it (RFC 5321 §4.5.3.1). Another address may follow the host.
 */
const likeEmail = /[^\s@,;<>]{1,64}@(?:[\p{L}\p{M}\p{N}.-]{1,254}|\[[\da-f.:]{1,45}\])/giu

/** The line names something that is more than a word. */
function namesOne(line: CleanText): boolean {
  const { probes, email, amount, accountNumber } = readQuery(line)
  if (email !== undefined || amount !== undefined || isIban(accountNumber ?? '')) return true
  return probes.some(({ exact }) => exact) || (probes.length > 0 && /\d/.test(line))
}

const mayBeName = (line: CleanText) =>
  isSearchable(readQuery(line)) && withoutListMarks(line).split(/\s+/).length <= 4
