import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { type AttentionKind, attentionKinds, eventKinds, isAttentionKind } from './attention-kinds.ts'

/**
 * `mayKnowAttention` says which roles may see items of a kind. The list alone would reveal that a check for money laundering
 * failed, and the state of deliveries is not for all roles.
 */
export function mayKnowAttention(role: Role, kind: AttentionKind): boolean {
  if (kind === 'aml') return visibilityOf(role, eventRules('AML').says) !== 'hidden'
  return (kind !== 'gap' && kind !== 'endpoint') || visibilityOf(role, 'endpoint') !== 'hidden'
}

/**
 * `mayKnowSnooze` says which roles may see in the audit what was snoozed. Entries about events show all kinds or none: a
 * single hidden kind would reveal that a check for money laundering failed.
 */
export function mayKnowSnooze(role: Role, kind: unknown): boolean {
  if (!isAttentionKind(kind)) return attentionKinds.every((one) => mayKnowAttention(role, one))
  const alike: readonly AttentionKind[] = eventKinds.some((one) => one === kind) ? eventKinds : [kind]
  return alike.every((one) => mayKnowAttention(role, one))
}
