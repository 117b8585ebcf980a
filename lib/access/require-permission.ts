import 'server-only'
import { NotAllowed } from '#lib/platform/refusals.ts'
import type { Caller } from './caller.ts'
import { may, type Permission } from './rules/roles.ts'

/** For use cases. Throws `NotAllowed` when the caller's role does not carry the permission. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (!may(caller.role, permission)) throw new NotAllowed()
}
