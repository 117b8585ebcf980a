import 'server-only'
import { countAudit } from '#lib/audit/count-audit.ts'
import { requireWithinLimit } from '#lib/limits/require-within-limit.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { type DeadLink, linkTo, readLink, type SearchPlace } from './search-link.ts'

/** What was typed or pasted, or the link that stands for it. */
export type Wanted = { readonly text: string } | { readonly link: string }

export interface ReadWanted {
  /** What to look for. */
  readonly text: string
  /** The same for the caller's eyes: masked where it comes through somebody else's link. */
  readonly shown: string
  /** For the address of the page: it says nothing of the text. Null when there is nothing to look for. */
  readonly link: string | null
}

/**
 * What a caller looks for. Searches are counted in the audit, and limited. Throws `NotAllowed` and `TooMany`.
 * @param mask whoever made a link may have typed what others see masked
 */
export async function readWanted(
  caller: Caller,
  place: SearchPlace,
  wanted: Wanted,
  { isSearchable, mask }: { isSearchable: (text: string) => boolean; mask: (text: string) => string },
): Promise<ReadWanted | DeadLink> {
  requirePermission(caller, 'see-everything')
  await requireWithinLimit('search-per-person', caller.id)
  await countAudit(caller, { action: 'search', outcome: 'done' })
  if ('text' in wanted) {
    const text = wanted.text.trim()
    return { text, shown: text, link: isSearchable(text) ? await linkTo(caller, place, text) : null }
  }
  const known = await readLink(place, wanted.link)
  if (known === null || known === 'erased') return known
  const { text, madeBy } = known
  return { text, shown: madeBy === caller.id ? text : mask(text), link: wanted.link }
}
