import 'server-only'
import type { Role } from '#lib/domain/access/roles.ts'
import { showValue } from '#lib/domain/access/show-value.ts'
import { withFixedDay } from '#lib/domain/search/read-day.ts'
import { readLines } from '#lib/domain/search/read-lines.ts'
import { isSearchable, readIdInstead, readQuery } from '#lib/domain/search/read-query.ts'
import { linesLabel, understand } from '#lib/domain/search/understand.ts'
import type { Caller } from '#lib/request/caller.ts'
import { type FoundLine, findLines } from './find-lines.ts'
import { type FindOptions, findSubjects } from './find-subjects.ts'
import { type Found, foundNothing } from './found.ts'
import { readWanted, type Wanted } from './read-wanted.ts'
import type { DeadLink } from './search-link.ts'

/** What a search found, and how it is linked to. */
export interface LinkedFound extends Found {
  /** What was looked for; through somebody else's link masked as the caller's role has it. */
  readonly text: string
  /** For the address of the page: it says nothing of the text. Null when there was nothing to look for. */
  readonly link: string | null
  /** The answer to each line, where several things were pasted at once; then nothing else is found. */
  readonly lines: readonly FoundLine[] | null
}

/** Looks for a text, or for what a link stands for. A link alone can be dead. Throws as `readWanted` and `findSubjects` do. */
export function search(
  caller: Caller,
  wanted: { readonly text: string },
  options?: FindOptions,
): Promise<LinkedFound>
export function search(caller: Caller, wanted: Wanted, options?: FindOptions): Promise<LinkedFound | DeadLink>
export async function search(
  caller: Caller,
  wanted: Wanted,
  options: FindOptions = {},
): Promise<LinkedFound | DeadLink> {
  const now = Date.now()
  const read = await readWanted(caller, 'subjects', wanted, {
    isSearchable: (text) => understand(text).searchable,
    mask: (text) => maskText(caller.role, text),
    linesOf: (text) => readLines(text)?.lines ?? [text],
    fix: (text) => (readQuery(text).amount ? withFixedDay(text, now) : text),
  })
  if (read === null || read === 'erased') return read
  const { text, shown, link } = read
  const isOwn = shown === text
  const pasted = readLines(text)
  if (pasted) {
    const found = await findLines(caller, pasted.lines)
    // How a line was understood says the line itself.
    const masked = (line: FoundLine) => ({ ...line, text: maskLine(caller.role, line.text), explanation: '' })
    const lines = isOwn ? found : found.map(masked)
    return {
      ...foundNothing,
      explanation: linesLabel(pasted.lines.length, pasted.left),
      text: shown,
      link,
      lines,
    }
  }
  const { explanation, ...found } = await findSubjects(caller, text, options)
  return {
    ...found,
    explanation: isOwn ? explanation : 'The search of this link',
    text: shown,
    link,
    lines: null,
  }
}

function maskText(role: Role, text: string): string {
  const pasted = readLines(text)
  if (!pasted) return maskLine(role, text)
  return pasted.lines.map((line) => maskLine(role, line)).join('\n')
}

function maskLine(role: Role, text: string): string {
  const reading = readIdInstead(text) ?? readQuery(text)
  const { accountNumber, customerNumber, email, name, amount, probes } = reading
  // What was not understood may be anything.
  if (!isSearchable(reading)) return showValue(role, 'person', text) ?? ''
  if (customerNumber !== undefined) return showValue(role, 'person', customerNumber) ?? ''
  if (email !== undefined) return showValue(role, 'person', email) ?? ''
  if (amount !== undefined || probes.some(({ exact }) => exact)) return text
  const shown = accountNumber === undefined ? text : (showValue(role, 'account-number', text) ?? '')
  return name === undefined ? shown : (showValue(role, 'person', shown) ?? '')
}
