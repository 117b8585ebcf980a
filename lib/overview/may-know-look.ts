import 'server-only'
import { eventRules } from '#lib/domain/access/event-fields.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { visibilityOf } from '#lib/domain/access/visibility.ts'
import type { LookKind } from '#lib/domain/overview/look-kinds.ts'

/**
 * Whether a role may know of things of this kind: that a check of money laundering went badly is known from the list alone, and
 * how deliveries go is not for everybody.
 */
export function mayKnowLook(role: Role, kind: LookKind): boolean {
  if (kind === 'aml') return visibilityOf(role, eventRules('AML').says) !== 'hidden'
  return (kind !== 'gap' && kind !== 'endpoint') || visibilityOf(role, 'endpoint') !== 'hidden'
}
