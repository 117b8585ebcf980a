import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { readWanted } from '#lib/search/read-wanted.ts'
import type { DeadLink } from '#lib/search/search-link.ts'
import { ListPeopleSchema, listPeople, type PeoplePage } from './list-people.ts'

/** What was typed, or a link that stands for it; neither for everybody. */
export const SearchPeopleSchema = ListPeopleSchema.extend({ link: z.uuid().optional() })

/** A page of the directory, and how it is linked to. */
export interface LinkedPeople extends PeoplePage {
  /** What was looked for; through somebody else's link masked as the caller's role has it. */
  readonly text: string
  /** For the address of the page; null for everybody. */
  readonly link: string | null
}

/** Everybody, or those whom a search finds. A link alone can be dead. Throws as `readWanted` and `listPeople` do. */
export async function searchPeople(
  caller: Caller,
  { q = '', link, cursor }: z.output<typeof SearchPeopleSchema>,
): Promise<LinkedPeople | DeadLink> {
  if (link === undefined && q.trim() === '')
    return { ...(await listPeople(caller, { cursor })), text: '', link: null }
  const read = await readWanted(caller, 'people', link === undefined ? { text: q } : { link }, {
    isSearchable: () => true,
  })
  if (read === null || read === 'erased') return read
  const { text, shown } = read
  return { ...(await listPeople(caller, { q: text, cursor })), text: shown, link: read.link }
}
