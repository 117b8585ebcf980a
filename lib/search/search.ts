import 'server-only'
import type { Role } from '#lib/domain/access/roles.ts'
import { showValue } from '#lib/domain/access/show-value.ts'
import { isSearchable, readQuery } from '#lib/domain/search/read-query.ts'
import type { Caller } from '#lib/request/caller.ts'
import { type FindOptions, findSubjects } from './find-subjects.ts'
import type { Found } from './found.ts'
import { readWanted, type Wanted } from './read-wanted.ts'
import type { DeadLink } from './search-link.ts'

/** What a search found, and how it is linked to. */
export interface LinkedFound extends Found {
  /** What was looked for; through somebody else's link masked as the caller's role has it. */
  readonly text: string
  /** For the address of the page: it says nothing of the text. Null when there was nothing to look for. */
  readonly link: string | null
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
  const read = await readWanted(caller, 'subjects', wanted, {
    isSearchable: (text) => isSearchable(readQuery(text)),
    mask: (text) => maskText(caller.role, text),
  })
  if (read === null || read === 'erased') return read
  const { text, shown, link } = read
  const { explanation, ...found } = await findSubjects(caller, text, options)
  return {
    ...found,
    explanation: shown === text ? explanation : 'The search of this link',
    text: shown,
    link,
  }
}

function maskText(role: Role, text: string): string {
  const { accountNumber, email, probes } = readQuery(text)
  if (email !== undefined) return showValue(role, 'person', email) ?? ''
  const isId = probes.some(({ exact }) => exact)
  return accountNumber === undefined || isId ? text : (showValue(role, 'account-number', text) ?? '')
}
