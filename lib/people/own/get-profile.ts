import 'server-only'
import { type Caller, requirePermission, requireServiceUser } from '#lib/access/caller.ts'
import { callAsUser } from '#lib/identity/sessions/call-as-user.ts'
import { type KnownUser, saveToDirectory } from '#lib/identity/users/save-to-directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage } from '#lib/service/error-messages.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getUser } from '#lib/service/users.ts'
import type { Refusal } from '#lib/words/labels/refusals.ts'

export type Profile = KnownUser

export type ProfileAnswer =
  | { readonly kind: 'profile'; readonly profile: Profile }
  /** The service session has ended: the page shows the directory's data and asks for a new sign-in in place. */
  | { readonly kind: 'sign-in-again'; readonly profile: Profile | null }
  | {
      readonly kind: 'unavailable'
      readonly profile: Profile | null
      readonly refusal: Refusal
    }

/**
 * The service gives the caller's own profile; the directory gives it when the service cannot answer. Throws
 * `Refused` when the caller has no account there.
 */
export async function getProfile(caller: Caller): Promise<ProfileAnswer> {
  requirePermission(caller, 'see-own')
  const userUuid = requireServiceUser(caller)
  try {
    const profile = await callAsUser(caller, (as) => getUser(serviceClient(), as)).catch(
      refuseWithServiceMessage('get-user'),
    )
    if (profile.userUuid.toLowerCase() !== userUuid) throw new Refused('wrong-user')
    await inTransaction(pool(), (tx) => saveToDirectory(tx, profile, 'sign-in'))
    return { kind: 'profile', profile }
  } catch (error) {
    const known = await findProfile(userUuid)
    if (error instanceof SignInAgain) return { kind: 'sign-in-again', profile: known }
    if (!(error instanceof Refused)) throw error
    return { kind: 'unavailable', profile: known, refusal: error }
  }
}

const findProfile = (userUuid: string): Promise<Profile | null> =>
  prisma().person.findUnique({
    where: { userUuid },
    select: {
      userUuid: true,
      email: true,
      targetAddress: true,
      firstName: true,
      lastName: true,
      country: true,
      status: true,
    },
  })
