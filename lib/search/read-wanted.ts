import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { countAudit } from '#lib/audit/count-audit.ts'
import { consumeLimit, readWait } from '#lib/platform/limits/limits.ts'
import { requireWithinLimit } from '#lib/platform/limits/require-within-limit.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { limitAccountNumbers } from './limit-account-numbers.ts'
import { maskSearch } from './mask-search.ts'
import { type DeadLink, linkTo, readLink, type SearchPlace } from './search-link.ts'

/** What was typed or pasted, or the link that stands for it. */
export type Wanted = { readonly text: string } | { readonly link: string }

export interface ReadWanted {
  /** What to look for. */
  readonly text: CleanText
  /** The same for the caller's eyes: masked where it comes through somebody else's link. */
  readonly shown: string
  /** For the address of the page: it says nothing of the text. Null when there is nothing to look for. */
  readonly link: string | null
}

export interface WantedRules {
  readonly isSearchable: (text: CleanText) => boolean
  /** The things that one text looks for, each of which counts; account numbers are counted among them. One thing by default. */
  readonly linesOf?: (text: CleanText) => readonly CleanText[]
  /** The text that a link stands for, where "yesterday" must mean the same tomorrow. */
  readonly fix?: (text: CleanText) => string
}

/** What a caller looks for. Searches are counted in the audit, and limited. Throws `NotAllowed` and `TooMany`. */
export async function readWanted(
  caller: Caller,
  place: SearchPlace,
  wanted: Wanted,
  { isSearchable, linesOf = (text) => [text], fix = (text) => text }: WantedRules,
): Promise<ReadWanted | DeadLink> {
  requirePermission(caller, 'see-everything')
  if ('text' in wanted) {
    const text = cleanText(wanted.text)
    await countText(text)
    return { text, shown: text, link: isSearchable(text) ? await linkTo(caller, place, fix(text)) : null }
  }
  const known = await readLink(place, wanted.link)
  if (known === null || known === 'erased') {
    await countSearches(caller, 'search-per-person', 1)
    return known
  }
  const text = cleanText(known.text)
  await countText(text)
  return { text, shown: known.madeBy === caller.id ? text : maskSearch(caller.role, text), link: wanted.link }

  async function countText(text: CleanText): Promise<void> {
    const lines = linesOf(text)
    await countOnce(caller, `${place} ${text}`, lines.length)
    if (place === 'subjects') await limitAccountNumbers(caller, lines)
  }
}

/**
 * Counts a text, which looks for so many things. Pages look for theirs again whenever news arrives, in as many tabs as are open:
 * looking for the same again, be it by its next page or with filters, counts against a limit that only guards the database. The audit
 * counts all.
 */
async function countOnce(caller: Caller, text: string, times: number): Promise<void> {
  const key = `${caller.id} ${text}`
  const isAgain = (await readWait('search-again', key)) > 0
  await countSearches(caller, isAgain ? 'search-again-per-person' : 'search-per-person', times)
  if (!isAgain) await consumeLimit('search-again', key)
}

async function countSearches(
  caller: Caller,
  limit: 'search-per-person' | 'search-again-per-person',
  times: number,
): Promise<void> {
  await requireWithinLimit(limit, caller.id, times)
  await countAudit(caller, { action: 'search', outcome: 'done' }, times)
}
