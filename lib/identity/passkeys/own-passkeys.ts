import 'server-only'
import { z } from 'zod'
import { type ActionContext, type Caller, type CallSource, requireFreshSignIn } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isEnoughForStaff } from '../members/membership.ts'
import { isSameButSlash } from '../single-sign-on/provider.ts'
import { RegistrationAnswerSchema } from './passkey-challenges.ts'
import {
  beginRegistration,
  insertPasskey,
  PasskeyNameSchema,
  type RegistrationOptions,
  verifyRegistration,
} from './registration.ts'

/** The owner sees a passkey in this form. Times are ISO 8601. */
export interface PasskeyView {
  readonly id: string
  readonly name: string
  /** The device says that it keeps a copy elsewhere. */
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** The oldest passkey of the caller comes first. */
export async function listOwnPasskeys({ memberId }: Caller): Promise<PasskeyView[]> {
  if (memberId === null) return []
  const rows = await prisma().passkey.findMany({ where: { memberId }, orderBy: { id: 'asc' } })
  return rows.map(({ id, name, backedUp, createdAt, lastUsedAt }) => ({
    id,
    name,
    backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }))
}

export const AddPasskeySchema = z.object({
  answer: RegistrationAnswerSchema,
  passkeyName: PasskeyNameSchema,
})

/** The caller begins to add a passkey. Throws `NotAllowed`, `SignInAgain` and `Refused`. */
export async function beginOwnPasskey(
  caller: Caller,
  _form: object,
  { browserId }: ActionContext,
): Promise<RegistrationOptions> {
  const memberId = requireMember(caller)
  requireFreshSignIn(caller)
  const name = caller.name ?? caller.email ?? 'Member'
  return beginRegistration({ memberId, name, label: caller.email ?? name }, browserId)
}

/** The passkey becomes another way to sign in for the caller. Throws `SignInAgain` and `Refused`. */
export async function addOwnPasskey(
  caller: Caller,
  { answer, passkeyName }: z.output<typeof AddPasskeySchema>,
  context: ActionContext,
): Promise<{ readonly passkeyId: string }> {
  const memberId = requireMember(caller)
  requireFreshSignIn(caller)
  const made = await verifyRegistration(answer, context.browserId)
  if (made.memberId !== memberId) throw new Refused('passkey-made-for-another')
  return inTransaction(pool(), async (tx) => {
    const passkeyId = await insertPasskey(tx, made, passkeyName)
    const entry = { actor: caller, action: 'passkey.add', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey: passkeyId } }, context)
    return { passkeyId }
  })
}

/** Only members have passkeys. Throws `Refused`. */
export function requireMember({ memberId }: Caller): string {
  if (memberId === null) throw new Refused('passkeys-for-team')
  return memberId
}

export const RenamePasskeySchema = z.object({
  passkeyId: uuidField('This is not the id of a passkey.'),
  passkeyName: PasskeyNameSchema,
})

/** The caller's passkey gets another name. This needs no fresh sign-in, because it lets nobody in. Throws `Refused`. */
export async function renamePasskey(
  caller: Caller,
  { passkeyId, passkeyName }: z.output<typeof RenamePasskeySchema>,
  source: CallSource,
): Promise<{ readonly passkeyId: string }> {
  const memberId = requireMember(caller)
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ name: string }>(HOLD, [passkeyId, memberId])
    const [found] = rows
    if (!found) throw new Refused('passkey-gone')
    if (found.name === passkeyName) throw new Refused('nothing-to-change')
    await tx.query('UPDATE passkey SET name = $2 WHERE id = $1', [passkeyId, passkeyName])
    // The name is left out, because nothing is removed from the audit when its owner is erased.
    const details = { passkey: passkeyId }
    const entry = { actor: caller, action: 'passkey.rename', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details }, source)
  })
  return { passkeyId }
}

const HOLD = 'SELECT name FROM passkey WHERE id = $1 AND member_id = $2 FOR UPDATE'

export const RemovePasskeySchema = z.object({ passkeyId: uuidField('This is not the id of a passkey.') })

/**
 * The caller's passkey is removed; the last one only while there is another way to sign in. Throws
 * `SignInAgain` and `Refused`.
 */
export async function removePasskey(
  caller: Caller,
  { passkeyId }: z.output<typeof RemovePasskeySchema>,
  source: CallSource,
): Promise<{ readonly passkeyId: string }> {
  const memberId = requireMember(caller)
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    // When two removals run at once, the second sees the result of the first.
    const { rows: members } = await tx.query<MemberRow>(MEMBER, [memberId])
    const { rows } = await tx.query<{ id: string }>(OWN, [memberId])
    if (!rows.some(({ id }) => id === passkeyId)) throw new Refused('passkey-gone')
    if (rows.length === 1 && !members.some(hasOtherWay)) throw new Refused('last-passkey')
    await tx.query('DELETE FROM passkey WHERE id = $1', [passkeyId])
    const entry = { actor: caller, action: 'passkey.remove', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey: passkeyId } }, source)
  })
  return { passkeyId }
}

interface MemberRow {
  readonly sso_issuer: string | null
  readonly has_account: boolean
}

/**
 * With a real service, an account is no way to sign in for staff (decision 0042). Nor is an identity at a provider that is
 * not, or no longer, the configured one.
 */
function hasOtherWay({ sso_issuer, has_account }: MemberRow): boolean {
  if (has_account && isEnoughForStaff('code')) return true
  const provider = env().singleSignOn?.issuer.href
  const theirs = sso_issuer === null ? undefined : URL.parse(sso_issuer)?.href
  return provider !== undefined && theirs !== undefined && isSameButSlash(theirs, provider)
}

const MEMBER = `
  SELECT sso_issuer, user_uuid IS NOT NULL AS has_account FROM member WHERE id = $1 FOR UPDATE`

const OWN = 'SELECT id FROM passkey WHERE member_id = $1'
