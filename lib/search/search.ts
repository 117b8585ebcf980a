import 'server-only'
import { countAudit } from '#lib/audit/count-audit.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { showValue } from '#lib/domain/access/show-value.ts'
import { isSearchable, readQuery } from '#lib/domain/search/read-query.ts'
import { requireWithinLimit } from '#lib/limits/require-within-limit.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { type FindOptions, findSubjects } from './find-subjects.ts'
import type { Found } from './found.ts'
import { linkTo, readLink } from './search-link.ts'

/** What was typed or pasted, or the link that stands for it. */
export type Wanted = { readonly text: string } | { readonly link: string }

/** What a search found, and how it is linked to. */
export interface LinkedFound extends Found {
  /** What was looked for; through somebody else's link masked as the caller's role has it. */
  readonly text: string
  /** For the address of the page: it says nothing of the text. Null when there was nothing to look for. */
  readonly link: string | null
}

/**
 * Looks for a text, or for what a link stands for; null when the link stands for nothing. Searches are counted in the audit,
 * and limited. Throws `TooMany`, and as `findSubjects` does.
 */
export async function search(
  caller: Caller,
  wanted: Wanted,
  options: FindOptions = {},
): Promise<LinkedFound | null> {
  requirePermission(caller, 'see-everything')
  await requireWithinLimit('search-per-person', caller.id)
  await countAudit(caller, { action: 'search', outcome: 'done' })
  if ('text' in wanted) {
    const text = wanted.text.trim()
    const found = await findSubjects(caller, text, options)
    return { ...found, text, link: isSearchable(readQuery(text)) ? await linkTo(caller, text) : null }
  }
  const known = await readLink(wanted.link)
  if (!known) return null
  const { explanation, ...found } = await findSubjects(caller, known.text, options)
  const text = known.madeBy === caller.id ? known.text : maskText(caller.role, known.text)
  return {
    ...found,
    explanation: text === known.text ? explanation : 'The search of this link',
    text,
    link: wanted.link,
  }
}

/** Whoever made the link may have typed what others see masked. */
function maskText(role: Role, text: string): string {
  const { accountNumber, email, probes } = readQuery(text)
  if (email !== undefined) return showValue(role, 'person', email) ?? ''
  const isId = probes.some(({ exact }) => exact)
  return accountNumber === undefined || isId ? text : (showValue(role, 'account-number', text) ?? '')
}
