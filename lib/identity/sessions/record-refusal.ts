import 'server-only'
import type { CallSource } from '#lib/access/caller.ts'
import { type AuditEntry, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { countDenied } from './denied-requests.ts'

type Refusal = Pick<AuditEntry, 'action' | 'target' | 'details'> & { readonly outcome?: 'refused' | 'unsure' }

/**
 * A refusal of an unknown sender is recorded: each has an entry while there are few, per address and in total; beyond that
 * only their number in a minute. Attempts on one of our users have their own share. `place` is as in `countDenied`.
 */
export async function recordRefusal(
  { outcome = 'refused', ...refusal }: Refusal,
  place: string,
  source: CallSource,
): Promise<void> {
  const share = refusal.target === undefined ? 'of nobody' : 'of somebody'
  const isFew =
    (await consumeLimit('refusals-per-ip', source.ip)) === 0 && (await consumeLimit('refusals', share)) === 0
  if (isFew) await recordAuditAlone({ actor: null, outcome, ...refusal }, source)
  else await countDenied(null, place)
}
