import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { MailState } from '#lib/platform/rules/after-try.ts'

/** An invitation that nobody has used yet. Times are ISO 8601. */
export interface InvitationView {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: Role | null
  readonly invitedBy: string
  readonly createdAt: string
  readonly expiresAt: string
  /** `opened`: the link was opened, and no way to sign in set up yet. */
  readonly state: 'sent' | 'opened' | 'expired'
  /** How far its mail is; null where none was queued. */
  readonly mail: MailState | null
}

/** Invitations that are not used and not withdrawn, newest first. Throws `NotAllowed`. */
export async function listInvitations(caller: Caller): Promise<InvitationView[]> {
  requirePermission(caller, 'manage-team')
  const { rows } = await pool().query<InvitationRow>(LIST)
  return rows.map(({ role, invited_by, created_at, expires_at, ...row }) => ({
    ...row,
    role: parseRole(role),
    invitedBy: invited_by,
    createdAt: created_at.toISOString(),
    expiresAt: expires_at.toISOString(),
  }))
}

interface InvitationRow {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: string
  readonly invited_by: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly state: InvitationView['state']
  readonly mail: MailState | null
}

const LIST = `
  SELECT link.id, link.name, link.email, link.role, COALESCE(member.name, created_by) AS invited_by,
         link.created_at, expires_at,
         CASE WHEN expires_at <= now() THEN 'expired' WHEN member_id IS NULL THEN 'sent' ELSE 'opened' END AS state,
         (SELECT CASE WHEN state = 'waiting' AND unsure > 0 THEN 'unknown' ELSE state END FROM mail
          WHERE kind = 'invitation' AND about && ARRAY[link.id] LIMIT 1) AS mail
  FROM access_link AS link
  LEFT JOIN member ON created_by IN (member.id::text, member.user_uuid::text)
  WHERE kind = 'invitation' AND used_at IS NULL AND withdrawn_at IS NULL
  ORDER BY link.created_at DESC LIMIT 200`
