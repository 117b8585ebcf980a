import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { type CountedEntry, countAudit } from './count-audit.ts'

/**
 * Counts that a page with somebody's personal data was read, by a role that gets it unmasked.
 * @param person whose data it is; null where nobody is known
 */
export async function countReading(
  caller: Caller,
  action: Extract<CountedEntry['action'], `read.${string}`>,
  target: string,
  person: string | null,
): Promise<void> {
  if (visibilityOf(caller.role, 'person') !== 'plain') return
  await countAudit(caller, { action, target, person: person?.toLowerCase() ?? null, outcome: 'done' })
}
