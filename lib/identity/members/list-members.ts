import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { listSessionsOf, type SessionView } from '../sessions/person-sessions.ts'
import { isFixedAdmin } from './lock-team.ts'

/** Admins see a member in this form. Times are ISO 8601. */
export interface MemberView {
  readonly id: string
  readonly name: string
  readonly email: string | null
  /** Null for a role that this version does not know. */
  readonly role: Role | null
  /** The member is the caller. */
  readonly you: boolean
  /** The server's settings make the member an admin, whatever the team says. */
  readonly fixed: boolean
  /** The member has an account at the service and signs in with its wallet or e-mail code. */
  readonly account: boolean
  readonly passkeys: number
  readonly singleSignOn: boolean
  /** The member has this many open sessions. */
  readonly sessions: number
  readonly lastSeenAt: string | null
  readonly since: string
  /** Null for a current member. */
  readonly removedAt: string | null
}

/** Current members come first, by name, and then removed ones. Throws `NotAllowed`. */
export async function listMembers(caller: Caller): Promise<MemberView[]> {
  requirePermission(caller, 'manage-team')
  const { rows } = await pool().query<MemberRow>(
    `${MEMBERS} ORDER BY removed_at DESC NULLS FIRST, name, id`,
    [null, new Date()],
  )
  return rows.map((row) => toMemberView(row, caller))
}

/** The member may be removed; null for an unknown one. Throws `NotAllowed`. */
async function findMemberView(caller: Caller, memberId: string): Promise<MemberView | null> {
  requirePermission(caller, 'manage-team')
  const { rows } = await pool().query<MemberRow>(MEMBERS, [memberId, new Date()])
  return rows[0] ? toMemberView(rows[0], caller) : null
}

interface MemberRow {
  readonly id: string
  readonly user_uuid: string | null
  readonly name: string
  readonly email: string | null
  readonly role: string
  readonly passkeys: number
  readonly single_sign_on: boolean
  readonly sessions: number
  readonly last_seen_at: Date | null
  readonly created_at: Date
  readonly removed_at: Date | null
}

const toMemberView = (row: MemberRow, caller: Caller): MemberView => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: isFixedAdmin(row.user_uuid) ? 'admin' : parseRole(row.role),
  you: row.id === caller.memberId,
  fixed: isFixedAdmin(row.user_uuid),
  account: row.user_uuid !== null,
  passkeys: row.passkeys,
  singleSignOn: row.single_sign_on,
  sessions: row.sessions,
  lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  since: row.created_at.toISOString(),
  removedAt: row.removed_at?.toISOString() ?? null,
})

const MEMBERS = `
  SELECT m.id, m.user_uuid, m.name, COALESCE(p.email, m.email, m.sso_email) AS email, m.role, m.created_at, m.removed_at, m.sso_subject IS NOT NULL AS single_sign_on,
         (SELECT count(*)::int FROM passkey WHERE member_id = m.id) AS passkeys,
         (SELECT count(*)::int FROM session s
          WHERE (s.member_id = m.id OR s.user_uuid = m.user_uuid) AND s.ended_at IS NULL
            AND LEAST(s.idle_expires_at, s.expires_at) > $2) AS sessions,
         (SELECT max(s.last_seen_at) FROM session s
          WHERE s.member_id = m.id OR s.user_uuid = m.user_uuid) AS last_seen_at
  FROM member m LEFT JOIN person p ON p.user_uuid = m.user_uuid
  WHERE m.joined_at IS NOT NULL AND ($1::uuid IS NULL OR m.id = $1)`

/** The member may be removed and has their open sessions; null for an unknown one. Throws `NotAllowed`. */
export async function findMember(
  caller: Caller,
  id: string,
): Promise<{ readonly member: MemberView; readonly sessions: readonly SessionView[] } | null> {
  requirePermission(caller, 'manage-team')
  const memberId = z.guid().safeParse(id).data
  const member = memberId === undefined ? null : await findMemberView(caller, memberId)
  if (!member) return null
  const row = await prisma().member.findUnique({ where: { id: member.id }, select: { userUuid: true } })
  const owner = { memberId: member.id, userUuid: row?.userUuid ?? null }
  return { member, sessions: await listSessionsOf(owner, caller.sessionId) }
}
