import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { may } from '#lib/domain/roles.ts'

/** Whose transactions and events a caller sees: everybody's (null), or those of one `user_uuid`. Throws `NotAllowed`. */
export function visibleTo(caller: Caller): string | null {
  if (may(caller.role, 'see-everything')) return null
  requirePermission(caller, 'see-own')
  return caller.userUuid.toLowerCase()
}
