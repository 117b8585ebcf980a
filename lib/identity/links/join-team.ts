import 'server-only'
import type { Caller, RequestContext } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { withdrawMails } from '#lib/platform/mail/mail-queue.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { hasAdmin } from '../members/lock-team.ts'
import { isEnoughForStaff } from '../members/membership.ts'
import type { SignInMethod } from '../rules/sign-in.ts'
import { startSession } from '../sessions/open-session.ts'

/**
 * Somebody who opened a set-up link or an invitation has set up a way to sign in, in this transaction. They
 * become a member and are signed in by it. `token` is that of the new session. Throws `Refused` when the link
 * was withdrawn or used meanwhile.
 */
export async function finishSetUp(
  tx: Transaction,
  settingUp: Caller,
  method: SignInMethod,
  context: RequestContext,
): Promise<{ readonly joined: JoinedMember; readonly token: string }> {
  const joined = await joinTeam(tx, settingUp, method, context)
  const { memberId, role } = joined
  const signedIn = { userUuid: null, memberId, method, serviceSessionId: null, role }
  return { joined, token: await startSession(tx, signedIn, context) }
}

interface JoinedMember {
  readonly memberId: string
  readonly role: Role
  readonly name: string
}

/** Somebody who opened a link becomes a member without a new session, and the link is used up. Throws `Refused`. */
export async function joinTeam(
  tx: Transaction,
  { memberId }: Caller,
  method: SignInMethod,
  context: RequestContext,
): Promise<JoinedMember> {
  const { rows: links } = await tx.query<{ id: string; kind: string }>(USE, [memberId])
  const [link] = links
  if (!link || memberId === null) throw new Refused('link-withdrawn')
  await withdrawMails(tx, [link.id])
  if (link.kind === 'set-up' && (await hasAdmin(tx))) throw new Refused('link-admin-exists')
  const { rows: members } = await tx.query<{ name: string; role: string }>(JOIN, [memberId])
  const [member] = members
  const role = parseRole(member?.role ?? '')
  if (!member || role === null) throw new Refused('link-withdrawn')
  if (member.name === '') throw new Refused('no-name')
  await tx.query(END_LINK_SESSIONS, [memberId])
  const entry = {
    actor: { id: memberId, role },
    action: 'member.join',
    target: memberId,
    outcome: 'done',
  } as const
  await recordAudit(tx, { ...entry, details: { by: link.kind, link: link.id, method } }, context)
  return { memberId, role, name: member.name }
}

/** When two browsers finish at once, one succeeds. A link that expired meanwhile was opened in time. */
const USE = `
  UPDATE access_link SET used_at = now()
  WHERE member_id = $1 AND used_at IS NULL AND withdrawn_at IS NULL RETURNING id, kind`

const JOIN = `
  UPDATE member SET joined_at = now()
  WHERE id = $1 AND joined_at IS NULL AND removed_at IS NULL RETURNING name, role`

const END_LINK_SESSIONS = `
  UPDATE session SET ended_at = now(), end_reason = 'replaced'
  WHERE member_id = $1 AND method = 'link' AND ended_at IS NULL`

/**
 * Somebody who opened a link has signed in as a user of the service, and is a member as that user from now on, if that is
 * enough for staff. A member stays what they are. `token` is that of the session that was opened just now.
 */
export async function joinAsUser(settingUp: Caller, token: string, context: RequestContext): Promise<void> {
  try {
    await inTransaction(pool(), async (tx) => {
      const { rows } = await tx.query<{ user_uuid: string; method: 'wallet' | 'code' }>(SESSION, [
        digestToken(token),
      ])
      const [session] = rows
      if (!session || !isEnoughForStaff(session.method)) return
      await tx.query(FORGET_REMOVED, [session.user_uuid])
      await tx.query(BIND, [settingUp.memberId, session.user_uuid])
      const { memberId } = await joinTeam(tx, settingUp, session.method, context)
      await tx.query('UPDATE session SET member_id = $2 WHERE token_digest = $1', [
        digestToken(token),
        memberId,
      ])
    })
  } catch (error) {
    // The link was withdrawn or used meanwhile, so they are signed in as a user only.
    if (!(error instanceof Refused)) throw error
  }
}

/** The query finds nothing for a member. */
const SESSION = `
  SELECT user_uuid, method FROM session
  WHERE token_digest = $1 AND user_uuid IS NOT NULL AND member_id IS NULL`

const FORGET_REMOVED = `
  UPDATE member SET user_uuid = NULL, former_user_uuid = user_uuid
  WHERE user_uuid = $1 AND removed_at IS NOT NULL`

const BIND = `
  UPDATE member SET user_uuid = $2, name = COALESCE(NULLIF(name, ''), (
    SELECT COALESCE(NULLIF(concat_ws(' ', first_name, last_name), ''), email) FROM person WHERE user_uuid = $2
  ), 'Member')
  WHERE id = $1 AND joined_at IS NULL`
