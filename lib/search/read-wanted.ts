import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { countAudit } from '#lib/audit/counted-entries.ts'
import { findUsersByCustomerNumber } from '#lib/identity/users/directory.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { consumeLimit, readWait, requireWithinLimit } from '#lib/platform/limits/limits.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { limitAccountNumbers } from '#lib/transactions/reveal/limit-account-numbers.ts'
import { maskSearch } from './mask-search.ts'
import type { PastedLines } from './rules/read-lines.ts'
import { wholeNumberIn } from './rules/read-query.ts'
import { type DeadLink, linkTo, readLink, type SearchPlace } from './search-link.ts'

/** The caller sends a text, or a link that replaces it. */
export type Wanted = { readonly text: string } | { readonly link: string }

interface ReadWanted {
  /** The search looks for this text. */
  readonly text: CleanText
  /** The search looks for each of these lines instead. Null when the text is one search. */
  readonly pasted: PastedLines | null
  /** `shown` is the text for the caller: masked when it comes from somebody else's link. */
  readonly shown: string
  /** The address of the page contains the link, which reveals nothing of the text. Null when there is nothing to search. */
  readonly link: string | null
}

interface WantedRules {
  readonly isSearchable: (text: CleanText) => boolean
  /**
   * One text may contain several things to search, and each of them counts; account numbers are counted among
   * them. One by default.
   */
  readonly pastedIn?: (text: CleanText) => PastedLines | null
  /** The link stores this text, so that "yesterday" means the same day tomorrow. */
  readonly fix?: (text: CleanText) => string
}

/** The caller's text is read, counted in the audit and limited. Throws `NotAllowed` and `TooMany`. */
export async function readWanted(
  caller: Caller,
  place: SearchPlace,
  wanted: Wanted,
  { isSearchable, pastedIn = () => null, fix = (text) => text }: WantedRules,
): Promise<ReadWanted | DeadLink> {
  requirePermission(caller, 'see-everything')
  if ('text' in wanted) {
    const text = cleanText(wanted.text)
    const pasted = await countText(text)
    const link = pasted || isSearchable(text) ? await linkTo(caller, place, fix(text)) : null
    return { text, pasted, shown: text, link }
  }
  const known = await readLink(place, wanted.link)
  if (known === null || known === 'erased') {
    await countSearches(caller, 'search-per-person', 1)
    return known
  }
  const text = cleanText(known.text)
  const pasted = await countText(text)
  const shown = known.madeBy === caller.id ? text : maskSearch(caller.role, text)
  return { text, pasted, shown, link: wanted.link }

  async function countText(text: CleanText): Promise<PastedLines | null> {
    const pasted = pastedIn(text)
    const lines = pasted?.lines ?? [text]
    await countOnce(caller, `${place} ${text}`, lines.length)
    if (place === 'subjects') await limitNumbersIn(caller, lines)
    return pasted
  }
}

/**
 * A search for `times` things is counted. Open pages repeat their search whenever events arrive, so a repeated search (also
 * its next page, or with filters) counts only against a limit that protects the database. The audit counts all.
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

/** The whole account numbers in these lines are limited. Throws `TooMany`. */
async function limitNumbersIn(caller: Caller, lines: readonly CleanText[]): Promise<void> {
  const lineOf = new Map<string, CleanText>()
  for (const line of lines.map((one) => cleanText(textParameter(one)))) {
    const number = wholeNumberIn(line)
    if (number !== null && !lineOf.has(number)) lineOf.set(number, line)
  }
  await limitAccountNumbers(caller, lineOf.keys(), async (number) => {
    // A customer number is not searched as an account number (`findSubjects`). A dot, the mark of a list, or words may be
    // beside it.
    const spelled = [...new Set([lineOf.get(number) ?? cleanText(number), cleanText(number)])]
    const customers = await Promise.all(spelled.map((one) => findUsersByCustomerNumber(one)))
    return customers.flat().length > 0
  })
}
