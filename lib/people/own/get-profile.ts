import 'server-only'
import { type Caller, requirePermission, requireServiceUser } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { callAsUser } from '#lib/identity/sessions/open-session.ts'
import { type KnownUser, saveToDirectory } from '#lib/identity/users/directory.ts'
import { listWallets, type WalletView } from '#lib/identity/users/list-wallets.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { bodyOf } from '#lib/platform/db/statements.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage } from '#lib/service/errors.ts'
import { getUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { decidingOf, type RankedKind } from '#lib/timeline/rules/status.ts'
import { type AccountDetails, toAccountDetails } from '#lib/timeline/subject-details.ts'
import { readVerifications } from '#lib/transactions/get-transaction.ts'
import type { Refusal } from '#lib/words/labels/refusals.ts'

type Profile = KnownUser

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

/** The directory knows the profile. The status of the verification is the later word, of the service or of the events. */
async function findProfile(userUuid: string): Promise<Profile | null> {
  const known = await prisma().person.findUnique({
    where: { userUuid },
    select: {
      userUuid: true,
      email: true,
      targetAddress: true,
      firstName: true,
      lastName: true,
      country: true,
    },
  })
  const verifications = (await readVerifications([userUuid])).get(userUuid)
  return known && { ...known, status: verifications?.find(({ type }) => type === 'KYC')?.state ?? null }
}

/** The customer pays into this account. A field that no event gave is null (§6.3). */
export interface OwnAccountView extends AccountDetails {
  readonly uuid: string
  /** The status is one that we have words for. */
  readonly status: string | null
}

/**
 * The caller's own accounts come as their events describe them, newest first, at most 20. A member of staff sees
 * what a customer sees.
 */
export async function listOwnAccounts(caller: Caller): Promise<OwnAccountView[]> {
  requirePermission(caller, 'see-own')
  const { rows } = await pool().query<EventRow>(EVENTS, [requireServiceUser(caller)])
  return [...Map.groupBy(rows, ({ uuid }) => uuid)].map(([uuid, events]) => toView(uuid, events))
}

interface EventRow extends RankedKind {
  readonly uuid: string
  readonly firstReceivedAt: Date
  readonly status: string | null
  /** The body is null when neither the log nor the event holds it any more. */
  readonly body: Buffer | null
}

/** Each field has its latest value in the order of the timeline; the status is that of the deciding event. */
function toView(uuid: string, events: readonly EventRow[]): OwnAccountView {
  return showRecord('end-user', 'account', {
    uuid,
    status: decidingOf(events, (event) => event)?.status ?? null,
    ...toAccountDetails(events.map(({ body }) => body)),
  })
}

/**
 * Each account has its last events that name this user, in order. `starts_with` would read all accounts, see
 * `ACCOUNTS` in `get-person.ts`.
 */
const EVENTS = `
  WITH own AS MATERIALIZED (
    SELECT subject_id, started_at FROM identifier
    WHERE value = $1 AND split_part(subject_id, ':', 1) = 'bank-account' ORDER BY started_at DESC LIMIT 20
  ), numbered AS (
    SELECT own.subject_id, own.started_at, id, type, sub_type AS "subType", status, rank, position, envelope,
           first_received_at AS "firstReceivedAt",
           row_number() OVER (PARTITION BY own.subject_id ORDER BY position DESC) AS number
    FROM own JOIN event ON event.subject_id = own.subject_id AND type = 'unblockBankAccount' AND entity_uuid = $1
  ), kept AS MATERIALIZED (SELECT * FROM numbered WHERE number <= 50)
  SELECT substring(subject_id FROM '^bank-account:(.*)$') AS uuid, type, "subType", status, rank, "firstReceivedAt",
         ${bodyOf('kept')} AS body
  FROM kept ORDER BY started_at DESC, subject_id, position`

/** The caller's own wallets come as the page for staff lists them. */
export async function listOwnWallets(caller: Caller): Promise<readonly WalletView[]> {
  requirePermission(caller, 'see-own')
  return (await listWallets('end-user', requireServiceUser(caller))).wallets
}
