import 'server-only'
import { NotAllowed } from '#lib/platform/refusals.ts'
import type { Caller } from './caller.ts'
import { requirePermission } from './require-permission.ts'
import { may } from './rules/roles.ts'

/** Whose transactions and events a caller sees: everybody's (null), or those of one `user_uuid`. Throws `NotAllowed`. */
export function visibleTo(caller: Caller): string | null {
  if (may(caller.role, 'see-everything')) return null
  requirePermission(caller, 'see-own')
  // Null means everybody's: whoever has no account must not get that.
  if (caller.userUuid === null) throw new NotAllowed()
  return caller.userUuid.toLowerCase()
}
