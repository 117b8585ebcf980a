import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { showRecord } from '#lib/access/rules/show-record.ts'
import { emailsOf } from '#lib/identity/users/emails-of.ts'

/** Whom a filter names, as the caller's role may know it: the e-mail; null where the directory has none. Throws `NotAllowed`. */
export async function nameUser(caller: Caller, userUuid: string): Promise<string | null> {
  requirePermission(caller, 'see-everything')
  const emails = await emailsOf([userUuid])
  return showRecord(caller.role, 'person', { email: emails.get(userUuid) ?? null }).email
}
