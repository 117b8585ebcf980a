import 'server-only'
import type { CallSource } from '#lib/access/request-context.ts'
import { type AuditEntry, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { countDenied } from './count-denied.ts'

type Refusal = Pick<AuditEntry, 'action' | 'target' | 'details'> & { readonly outcome?: 'refused' | 'unsure' }

/**
 * Writes down what somebody was refused whom nobody knows: an entry each while these are few, from one address and in all, and
 * beyond that how many there were in a minute. Those who mean somebody of ours have a share of their own.
 * @param place as in `countDenied`
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
