import { findEmailAddress } from '#lib/platform/rules/email-address.ts'
import { findWholeIds } from '#lib/platform/rules/ids.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { isIban } from './iban.ts'
import { isSearchable, readQuery } from './read-query.ts'

/** A paste of several things, each to be looked for by itself. */
export interface PastedLines {
  readonly lines: readonly CleanText[]
  /** How many more lines there were than one search takes. */
  readonly left: number
}

/** Most lines of one search. */
const mostLines = 100

/**
 * Takes a paste apart: line by line where at least two lines name something, or by the whole ids and e-mails of its one line.
 * Null for what is one search.
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

/** Characters that are looked at. */
export const longestPaste = 20_000

const several = (lines: readonly CleanText[]): PastedLines | null =>
  lines.length < 2 ? null : { lines: lines.slice(0, mostLines), left: Math.max(0, lines.length - mostLines) }

/** Each once, as it stands first: a link may name the same thing twice. */
function wholeIdsIn(line: string): readonly CleanText[] {
  const emails = [...line.matchAll(likeEmail)].flatMap(({ 0: text, index: from }) => {
    const found = findEmailAddress(cleanText(text))
    return found === null ? [] : [{ from, to: from + text.length, text: cleanText(found) }]
  })
  // An id may be what stands before the `@` of an address.
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

/** No text is read once for each of its own addresses: one has 64 characters before its `@` and 255 behind (RFC 5321 §4.5.3.1). */
const likeEmail = /[^\s@,;<>]{1,64}@[^\s@,;<>]{1,254}/g

/** Whether a line names something that is more than a word. */
function namesOne(line: CleanText): boolean {
  const { probes, email, amount, accountNumber } = readQuery(line)
  if (email !== undefined || amount !== undefined || isIban(accountNumber ?? '')) return true
  return probes.some(({ exact }) => exact) || (probes.length > 0 && /\d/.test(line))
}

const mayBeName = (line: CleanText) => isSearchable(readQuery(line)) && line.split(/\s+/).length <= 4
