import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { countAudit } from '#lib/audit/counted-entries.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { findUsersByCustomerNumber } from '#lib/identity/users/find-users.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/sql-text.ts'
import { consumeLimit, readLeft, readWait, requireWithinLimit } from '#lib/platform/limits/limits.ts'
import { TooMany, waitLabel } from '#lib/platform/refusals.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { maskSearch } from './mask-search.ts'
import { wholeNumberIn } from './rules/read-query.ts'
import { type DeadLink, linkTo, readLink, type SearchPlace } from './search-link.ts'

/** What was typed or pasted, or the link that stands for it. */
export type Wanted = { readonly text: string } | { readonly link: string }

interface ReadWanted {
  /** What to look for. */
  readonly text: CleanText
  /** The same for the caller's eyes: masked where it comes through somebody else's link. */
  readonly shown: string
  /** For the address of the page: it says nothing of the text. Null when there is nothing to look for. */
  readonly link: string | null
}

interface WantedRules {
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

/**
 * Counts the whole account numbers that these lines look for, where the caller sees them masked: what a mask leaves out is found
 * by trying. Admins are told once a day when somebody has used up what one person may. Throws `TooMany`.
 */
async function limitAccountNumbers(caller: Caller, lines: readonly CleanText[]): Promise<void> {
  if (visibilityOf(caller.role, 'account-number') === 'plain') return
  const numbers = await newNumbers(caller, lines)
  if (numbers.length === 0) return
  const { left, seconds } = await readLeft(limit, caller.id)
  // Fewer of them may still be looked for.
  if (numbers.length > left) throw beyond(left, seconds)
  const wait = await consumeLimit(limit, caller.id, numbers.length)
  if ((await readLeft(limit, caller.id)).left === 0) await tellOfUse(caller)
  if (wait > 0) throw beyond(0, wait)
  for (const number of numbers) await consumeLimit('account-number-again', `${caller.id} ${number}`)
}

const limit = 'account-number-per-person'

/** Those that were not looked for within a day. A customer number is none: it is looked up as nothing else (`findSubjects`). */
async function newNumbers(caller: Caller, lines: readonly CleanText[]): Promise<string[]> {
  const numbers = new Set<string>()
  for (const line of lines.map((one) => cleanText(textParameter(one)))) {
    const number = wholeNumberIn(line)
    if (number === null || numbers.has(number)) continue
    const isKnown = (await readWait('account-number-again', `${caller.id} ${number}`)) > 0
    if (!isKnown && (await findUsersByCustomerNumber(line)).length === 0) numbers.add(number)
  }
  return [...numbers]
}

function beyond(left: number, seconds: number): TooMany {
  const wait = seconds > 0 ? waitLabel(seconds) : null
  if (left === 0)
    return new TooMany(seconds, {
      title: 'You have looked for as many account numbers as one person may in a day.',
      next: `Wait ${wait}, then try again. Everything but account numbers can be searched for meanwhile.`,
    })
  return new TooMany(seconds, {
    title: 'These are more account numbers than one person may look for in a day.',
    next: `Paste at most ${left} of them${wait === null ? '' : `, or wait ${wait}`}.`,
  })
}

const tellOfUse = (caller: Caller) =>
  inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'account-numbers-tried', actor: caller, onceADay: true }),
  )
