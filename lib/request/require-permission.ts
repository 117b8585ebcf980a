import 'server-only'
import { may, type Permission } from '#lib/domain/access/roles.ts'
import type { Caller } from './caller.ts'
import { NotAllowed } from './refusals.ts'

/** For use cases. Throws `NotAllowed` when the caller's role does not carry the permission. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (!may(caller.role, permission)) throw new NotAllowed()
}
