import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { eventKinds, isLookKind, type LookKind, lookKinds } from './look-kinds.ts'

/**
 * `mayKnowLook` says which roles may see items of a kind. The list alone would reveal that a check for money laundering
 * failed, and the state of deliveries is not for all roles.
 */
export function mayKnowLook(role: Role, kind: LookKind): boolean {
  if (kind === 'aml') return visibilityOf(role, eventRules('AML').says) !== 'hidden'
  return (kind !== 'gap' && kind !== 'endpoint') || visibilityOf(role, 'endpoint') !== 'hidden'
}

/**
 * `mayKnowMute` says which roles may see in the audit what was snoozed. Entries about events show all kinds or none: a
 * single hidden kind would reveal that a check for money laundering failed.
 */
export function mayKnowMute(role: Role, kind: unknown): boolean {
  if (!isLookKind(kind)) return lookKinds.every((one) => mayKnowLook(role, one))
  const alike: readonly LookKind[] = eventKinds.some((one) => one === kind) ? eventKinds : [kind]
  return alike.every((one) => mayKnowLook(role, one))
}
