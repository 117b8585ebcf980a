import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { eventKinds, isLookKind, type LookKind, lookKinds } from './look-kinds.ts'

/**
 * Whether a role may know of things of this kind: that a check of money laundering went badly is known from the list alone, and
 * how deliveries go is not for everybody.
 */
export function mayKnowLook(role: Role, kind: LookKind): boolean {
  if (kind === 'aml') return visibilityOf(role, eventRules('AML').says) !== 'hidden'
  return (kind !== 'gap' && kind !== 'endpoint') || visibilityOf(role, 'endpoint') !== 'hidden'
}

/**
 * Whether a role may know what was muted, from the entry of it in the audit. Entries about events show all or nothing of it:
 * one that alone is left bare would say that a check of money laundering went badly.
 */
export function mayKnowMute(role: Role, kind: unknown): boolean {
  if (!isLookKind(kind)) return lookKinds.every((one) => mayKnowLook(role, one))
  const alike: readonly LookKind[] = eventKinds.some((one) => one === kind) ? eventKinds : [kind]
  return alike.every((one) => mayKnowLook(role, one))
}
