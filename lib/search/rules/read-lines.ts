import { findEmailAddress } from '#lib/platform/rules/mail-address.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findWholeIds } from '#lib/platform/rules/whole-ids.ts'
import { isIban } from './iban.ts'
import { isSearchable, readQuery } from './read-query.ts'

/** Several things were pasted, and each is searched separately. */
export interface PastedLines {
  readonly lines: readonly CleanText[]
  /** The paste had this many more lines than one search takes. */
  readonly left: number
}

const mostLines = 100

/**
 * A paste is split into lines when at least two of them name something, or into the whole ids and e-mail
 * addresses of its one line. Null when it is a single search.
 */
export function readLines(text: CleanText): PastedLines | null {
  const lines = text
    .slice(0, longestPaste)
    .split(/[\r\n]+/)
    .map(cleanText)
    .filter((line) => line !== '')
  if (lines.length <= 1) return several(wholeIdsIn(lines[0] ?? ''))
  const named = lines.filter(namesOne)
  return named.length >= 2 || lines.every(mayBeName) ? several(lines) : null
}

/** The rest of a longer paste is ignored. */
export const longestPaste = 20_000

const several = (lines: readonly CleanText[]): PastedLines | null =>
  lines.length < 2 ? null : { lines: lines.slice(0, mostLines), left: Math.max(0, lines.length - mostLines) }

/** Each id occurs once, in its first place: a link may contain the same id twice. */
function wholeIdsIn(line: string): readonly CleanText[] {
  const emails = [...line.matchAll(likeEmail)].flatMap(({ 0: text, index: from }) => {
    const found = findEmailAddress(cleanText(text))
    return found === null ? [] : [{ from, to: from + text.length, text: cleanText(found) }]
  })
  // The part before the `@` of an address may look like an id.
  const ids = findWholeIds(line)
    .map(({ from, to }) => ({ from, text: cleanText(line.slice(from, to)) }))
    .filter(
      (id) => !emails.some(({ from, to, text }) => id.from >= from && id.from < to && text.includes(id.text)),
    )
  const found = new Map<string, CleanText>()
  for (const { text } of [...ids, ...emails].toSorted((one, other) => one.from - other.from))
    if (!found.has(text.toLowerCase())) found.set(text.toLowerCase(), text)
  return [...found.values()]
}

/**
 * The lengths are limited so that a long text is read fast: an address has 64 characters before its `@` and 255
 * after it (RFC 5321 §4.5.3.1).
 */
const likeEmail = /[^\s@,;<>]{1,64}@[^\s@,;<>]{1,254}/g

/** The line names something that is more than a word. */
function namesOne(line: CleanText): boolean {
  const { probes, email, amount, accountNumber } = readQuery(line)
  if (email !== undefined || amount !== undefined || isIban(accountNumber ?? '')) return true
  return probes.some(({ exact }) => exact) || (probes.length > 0 && /\d/.test(line))
}

const mayBeName = (line: CleanText) => isSearchable(readQuery(line)) && line.split(/\s+/).length <= 4
