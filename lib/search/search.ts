import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { type FoundLine, findLines } from './find-lines.ts'
import { type FindOptions, findSubjects } from './find-subjects.ts'
import { type Found, foundNothing } from './found.ts'
import { maskSearch } from './mask-search.ts'
import { readWanted, type Wanted } from './read-wanted.ts'
import { withFixedDay } from './rules/read-day.ts'
import { readLines } from './rules/read-lines.ts'
import { readQuery } from './rules/read-query.ts'
import { linesLabel, understand } from './rules/understand.ts'
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
    const masked = (line: FoundLine) => ({
      ...line,
      text: maskSearch(caller.role, cleanText(line.text)),
      explanation: '',
    })
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
