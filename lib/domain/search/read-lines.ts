import { isIban, isSearchable, readQuery } from './read-query.ts'

/** A paste of several things, each to be looked for by itself. */
export interface PastedLines {
  readonly lines: readonly string[]
  /** How many more lines there were than one search takes. */
  readonly left: number
}

/** Most lines of one search. */
const mostLines = 100

/**
 * Takes a paste apart: line by line where at least two lines name something, or by the whole ids and e-mails of its one line.
 * Null for what is one search.
 */
export function readLines(text: string): PastedLines | null {
  const lines = text
    .slice(0, longestPaste)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length <= 1) return several(wholeIdsIn(lines[0] ?? ''))
  const named = lines.filter(namesOne)
  return named.length >= 2 || lines.every(mayBeName) ? several(lines) : null
}

/** Characters that are looked at. */
export const longestPaste = 20_000

const several = (lines: readonly string[]): PastedLines | null =>
  lines.length < 2 ? null : { lines: lines.slice(0, mostLines), left: Math.max(0, lines.length - mostLines) }

/** Each once, as it stands first: a link may name the same thing twice. */
const wholeIdsIn = (line: string): readonly string[] => {
  const found = new Map<string, string>()
  for (const id of line.match(wholeId) ?? [])
    if (!found.has(id.toLowerCase())) found.set(id.toLowerCase(), id)
  return [...found.values()]
}

/** An address has 64 characters before its `@` and 255 behind (RFC 5321 §4.5.3.1): no text is read once for each of its own. */
const wholeId =
  /0x[0-9a-f]{40,64}\b|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[^\s@,;<>]{1,64}@[^\s@,;<>]{1,190}\.[^\s@,;<>]{2,63}/gi

/** Whether a line names something that is more than a word. */
function namesOne(line: string): boolean {
  const { probes, email, amount, accountNumber } = readQuery(line)
  if (email !== undefined || amount !== undefined || isIban(accountNumber ?? '')) return true
  return probes.some(({ exact }) => exact) || (probes.length > 0 && /\d/.test(line))
}

const mayBeName = (line: string) => isSearchable(readQuery(line)) && line.split(/\s+/).length <= 4
