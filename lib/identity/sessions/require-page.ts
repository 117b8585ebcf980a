import 'server-only'
import { forbidden, redirect } from 'next/navigation'
import type { Caller } from '#lib/access/caller.ts'
import { may, type Permission } from '#lib/access/rules/roles.ts'
import { countDenied, routeOf } from './count-denied.ts'
import { findSession } from './require-session.ts'

/**
 * For pages and layouts: the caller, or away to `/sign-in` (and back to `path` afterwards). A role that does not carry the
 * permission gets 403 at the same address: `forbidden.tsx` says which roles do.
 * @param path with its query, such as `/transactions?step=FAILED`
 */
export async function requirePage(permission?: Permission, path?: string): Promise<Caller> {
  const caller = await findSession()
  if (!caller) redirect(path ? `/sign-in?next=${encodeURIComponent(path)}` : '/sign-in')
  if (permission && !may(caller.role, permission)) {
    await countDenied(caller, path ? routeOf(path) : permission)
    forbidden()
  }
  return caller
}
