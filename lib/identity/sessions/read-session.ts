import 'server-only'
import { type Caller, noCallSource } from '#lib/access/caller.ts'
import { type Role, roles } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type MembershipRow, membershipOf } from '../members/membership.ts'
import { parseSignInMethod } from '../rules/sign-in.ts'
import { sessionEnds } from './session-lifetime.ts'
import { digestToken } from './token.ts'

/**
 * The token gives the caller; null when the session has ended or is locked, when its role was withdrawn, and
 * while the person is setting up a way to sign in. The role is read at every call. Reading does not count as
 * use, because pages read by themselves; see `touchSession`.
 */
export async function readSession(token: string, now: Date): Promise<Caller | null> {
  const found = await lookUp({ tokenDigest: digestToken(token) }, now)
  return found && !found.settingUp ? found.caller : null
}

/** A session that a link opened can only set up a way to sign in; null for every other session. */
export async function readSetUpSession(token: string, now: Date): Promise<Caller | null> {
  const found = await lookUp({ tokenDigest: digestToken(token) }, now)
  return found?.settingUp ? found.caller : null
}

/** Work that outlasts a request checks that the person is still signed in with the same role. This does not count as use. */
export async function isSignedInStill({ sessionId, role }: Caller): Promise<boolean> {
  const found = await lookUp({ id: sessionId }, new Date())
  return found?.caller.role === role
}

async function lookUp(which: { tokenDigest: Uint8Array<ArrayBuffer> } | { id: string }, now: Date) {
  const { rows } = await ('id' in which
    ? pool().query<Row>({ ...BY_ID, values: [which.id] })
    : pool().query<Row>({ ...BY_TOKEN, values: [which.tokenDigest] }))
  const [row] = rows
  if (!row || row.endedAt || row.idleExpiresAt <= now || row.expiresAt <= now) return null
  const id = row.userUuid ?? row.memberId
  const method = parseSignInMethod(row.method)
  if (id === null || method === null) return null
  const { memberId, role, name, email, settingUp } = membershipOf(
    { userUuid: row.userUuid, method },
    row.member,
  )
  if (lostRole(row.role, role) || (row.userUuid === null && memberId === null)) {
    await endWithRole(row.id, id, now)
    return null
  }
  const { idle, latest } = sessionEnds(row, role)
  if (Math.min(idle, latest) <= now.getTime()) return null
  const caller: Caller = {
    id,
    sessionId: row.id,
    userUuid: row.userUuid,
    memberId,
    role,
    name: name ?? nameOf(row),
    email: row.personEmail ?? email,
    method,
    signedInAt: row.signedInAt.toISOString(),
    idleExpiresAt: new Date(idle).toISOString(),
    expiresAt: new Date(latest).toISOString(),
  }
  return { caller, settingUp }
}

interface Row {
  readonly id: string
  readonly userUuid: string | null
  readonly memberId: string | null
  readonly method: string
  readonly role: string
  readonly createdAt: Date
  readonly signedInAt: Date
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly expiresAt: Date
  readonly endedAt: Date | null
  readonly member: MembershipRow | null
  readonly personEmail: string | null
  readonly firstName: string | null
  readonly lastName: string | null
}

/** One statement reads everything, because each page and each action needs it first. */
const SESSION = `
  SELECT session.id, session.user_uuid AS "userUuid", session.member_id AS "memberId", session.method, session.role,
    session.created_at AS "createdAt", session.signed_in_at AS "signedInAt", session.last_seen_at AS "lastSeenAt",
    session.idle_expires_at AS "idleExpiresAt", session.expires_at AS "expiresAt", session.ended_at AS "endedAt",
    (SELECT json_build_object('id', id, 'role', role, 'name', name, 'email', COALESCE(email, sso_email), 'joinedAt', joined_at,
       'removedAt', removed_at)
     FROM member
     WHERE member.id = session.member_id OR session.member_id IS NULL AND member.user_uuid = session.user_uuid) AS member,
    person.email AS "personEmail", person.first_name AS "firstName", person.last_name AS "lastName"
  FROM session LEFT JOIN person ON person.user_uuid = session.user_uuid`

const BY_TOKEN = planOnce(`${SESSION} WHERE session.token_digest = $1`)
const BY_ID = planOnce(`${SESSION} WHERE session.id = $1`)

/** Staff whose role has changed must sign in again; an end user who became staff need not. */
const lostRole = (then: string, now: Role) => then !== now && then !== roles[0]

/** Nobody asked for it, so the audit has no actor. */
const endWithRole = (id: string, target: string, now: Date): Promise<void> =>
  inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(END, [id, now])
    if (rowCount === 0) return
    const details = { why: 'role-lost' }
    await recordAudit(
      tx,
      { actor: null, action: 'session.end', target, outcome: 'done', details },
      noCallSource,
    )
  })

const END = `
  UPDATE session SET ended_at = $2, end_reason = 'role-lost', service_session = NULL, service_key_id = NULL,
    sso_token = NULL, sso_token_key_id = NULL
  WHERE id = $1 AND ended_at IS NULL`

const nameOf = ({ firstName, lastName }: Pick<Row, 'firstName' | 'lastName'>): string | null =>
  [firstName, lastName].filter(Boolean).join(' ') || null
