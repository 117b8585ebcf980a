import 'server-only'
import { visibilityOf } from '#lib/domain/access/visibility.ts'
import type { Caller } from '#lib/request/caller.ts'
import { type CountedEntry, countAudit } from './count-audit.ts'

/** Counts that a page with somebody's personal data was read, by a role that gets it unmasked. */
export async function countReading(
  caller: Caller,
  action: Extract<CountedEntry['action'], `read.${string}`>,
  target: string,
): Promise<void> {
  if (visibilityOf(caller.role, 'person') !== 'plain') return
  await countAudit(caller, { action, target, outcome: 'done' })
}
