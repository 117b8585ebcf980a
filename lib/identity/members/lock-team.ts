import 'server-only'
import { uuidv7 } from 'uuidv7'
import { type Caller, noCallSource } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { logOf } from '#lib/platform/log.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { type KnownUser, saveToDirectory } from '../users/directory.ts'

/** A change of the team reads the member in this form. */
export interface LockedMember {
  readonly memberId: string
  readonly userUuid: string | null
  readonly name: string
  /** Null for a role that this version does not know. */
  readonly role: Role | null
}

/**
 * Nobody else changes roles or removes members until the transaction ends: each change sees the result of the one before.
 */
export async function lockTeam(tx: Transaction): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.team])
}

/**
 * An admin changes the member, while nobody else changes the team. Throws `NotAllowed` for a caller who is no
 * admin any more, and `Refused`.
 */
export async function lockMember(tx: Transaction, caller: Caller, memberId: string): Promise<LockedMember> {
  await lockTeam(tx)
  const { rows } = await tx.query<MemberRow>(MEMBERS, [[memberId, caller.memberId]])
  const member = rows.find(({ id }) => id === memberId)
  const acting = rows.find(({ id }) => id === caller.memberId)
  if (!isFixedAdmin(caller.userUuid) && acting?.role !== 'admin') throw new NotAllowed()
  if (!member) throw new Refused('member-gone')
  if (isFixedAdmin(member.user_uuid)) throw new Refused('fixed-admin')
  const { user_uuid, name, role } = member
  return { memberId, userUuid: user_uuid, name, role: parseRole(role) }
}

/** Throws `Refused` when nobody else is an admin. `lockTeam` or `lockMember` must be called before. */
export async function requireOtherAdmin(tx: Transaction, memberId: string): Promise<void> {
  if (!(await hasAdmin(tx, memberId))) throw new Refused('last-admin')
}

/** The server's own settings make the user an admin, whatever the team says. */
export const isFixedAdmin = (userUuid: string | null): boolean =>
  userUuid !== null && env().admins.includes(userUuid.toLowerCase())

interface MemberRow {
  readonly id: string
  readonly user_uuid: string | null
  readonly name: string
  readonly role: string
}

const MEMBERS = `
  SELECT id, user_uuid, name, role FROM member
  WHERE id = ANY($1::uuid[]) AND removed_at IS NULL AND joined_at IS NOT NULL`

/** Somebody is an admin, other than the member `besides`, and could invite others. */
export async function hasAdmin(tx: Transaction, besides: string | null = null): Promise<boolean> {
  const { rows } = await tx.query(FIND, [besides])
  return rows.length > 0
}

const FIND = `
  SELECT FROM member
  WHERE role = 'admin' AND joined_at IS NOT NULL AND removed_at IS NULL AND id IS DISTINCT FROM $1 LIMIT 1`

const log = logOf('team')

/**
 * The users of `RAMPART_ADMINS` become admins at the start. A service that does not answer does not stop the
 * start: the names come later. All admins are notified of each new one.
 */
export async function ensureAdmins(): Promise<void> {
  for (const userUuid of env().admins) {
    const user = await findUser(userUuid)
    const name = [user?.firstName, user?.lastName].filter(Boolean).join(' ') || user?.email || 'Administrator'
    await inTransaction(pool(), async (tx) => {
      if (user) await saveToDirectory(tx, { ...user, userUuid }, 'admin')
      const { rows } = await tx.query<{ id: string; name: string }>(MAKE_ADMIN, [uuidv7(), userUuid, name])
      const [made] = rows
      if (!made) return
      const details = { by: setting }
      const entry = {
        actor: commandLine,
        action: 'member.admin',
        target: userUuid,
        outcome: 'done',
        details,
      } as const
      await recordAudit(tx, entry, noCallSource)
      const actor = { id: commandLine.id, name: setting }
      const facts = { member: made.name, role: roleLabels.admin }
      await tellAdmins(tx, { kind: 'member-joined', actor, about: made.id, facts })
    })
  }
}

const setting = 'RAMPART_ADMINS'

/** No row is returned for a user who is an admin already. */
const MAKE_ADMIN = `
  INSERT INTO member AS known (id, user_uuid, name, role) VALUES ($1, $2, $3, 'admin')
  ON CONFLICT (user_uuid) DO UPDATE SET role = 'admin', removed_at = NULL
  WHERE known.role <> 'admin' OR known.removed_at IS NOT NULL
  RETURNING id, name`

async function findUser(userUuid: string): Promise<KnownUser | null> {
  try {
    return await getUser(serviceClient(), { userUuid })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ userUuid, err: error }, 'A user of RAMPART_ADMINS could not be read; the name comes later')
    return null
  }
}
