import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { saveToDirectory } from '#lib/identity/users/save-to-directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { serviceErrorMessage } from '#lib/service/error-messages.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getUser, type ServiceUser } from '#lib/service/users.ts'

/** What the service says of a person now, or why it says nothing. */
export type ProfileView =
  | {
      readonly kind: 'read'
      /** Masked for roles that may not see it. */
      readonly dateOfBirth: string | null
      readonly address: readonly string[]
    }
  /** It knows no such user, as of a company. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly title: string; readonly next: string }

/** Reads a person's profile from the service (§4.3) and brings the directory up to date. */
export async function readProfile(userUuid: string, role: Role): Promise<ProfileView> {
  try {
    const user = await getUser(serviceClient(), { userUuid })
    await inTransaction(pool(), (tx) => saveToDirectory(tx, { ...user, userUuid }, 'delivery'))
    return toView(user, role)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'not-found') return { kind: 'unknown' }
    return { kind: 'unavailable', ...serviceErrorMessage(error, 'get-user') }
  }
}

const toView = ({ dateOfBirth, address }: ServiceUser, role: Role): ProfileView => ({
  kind: 'read',
  ...showRecord(role, 'person', { dateOfBirth, address }),
})
