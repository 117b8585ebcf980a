import 'server-only'
import { type Caller, type CallSource, noCallSource } from '#lib/access/caller.ts'
import { type Role, roles } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { env, type SessionLifetime } from '#lib/platform/env.ts'
import { writingKey } from '#lib/platform/keys/agree-on-keys.ts'
import { digestToken, seal, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { type MembershipRow, membershipOf } from '../members/membership.ts'
import { parseSignInMethod } from '../rules/sign-in.ts'

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

/**
 * Work that outlasts a request checks that the person is still signed in with the same role. A person who signed in again in
 * the same browser is: the session that replaced this one counts instead. This does not count as use.
 */
export async function isSignedInStill({
  sessionId,
  role,
}: Pick<Caller, 'sessionId' | 'role'>): Promise<boolean> {
  const found = await lookUp({ id: sessionId }, new Date())
  if (found) return found.caller.role === role
  const { rows } = await pool().query<{ id: string }>({ ...SUCCESSOR, values: [sessionId] })
  const [next] = rows
  return next !== undefined && isSignedInStill({ sessionId: next.id, role })
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

/**
 * A session begins just before it replaces another one of the same browser. The database's clock, which ended that one, may
 * differ a little.
 */
const SUCCESSOR = planOnce(`
  SELECT next.id FROM session AS ended
  JOIN session AS next ON (next.user_uuid = ended.user_uuid OR next.member_id = ended.member_id) AND next.id > ended.id
    AND next.created_at BETWEEN ended.ended_at - interval '1 minute' AND ended.ended_at + interval '1 minute'
    AND next.user_agent IS NOT DISTINCT FROM ended.user_agent
  WHERE ended.id = $1 AND ended.end_reason = 'replaced'
  ORDER BY abs(extract(epoch FROM next.created_at - ended.ended_at)), next.id LIMIT 1`)

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

/**
 * A session of this role lives this many minutes without use, and this many at most. For staff that is 30 minutes and 12
 * hours, if `STAFF_IDLE_MINUTES` and `STAFF_SESSION_MINUTES` are not set. It ends sooner by a sign-out
 * (of the person, an admin or the identity provider), a lost role, a removed member, a newer link or a restored backup.
 */
export function sessionLifetime(role: Role): SessionLifetime {
  const { staff, endUser } = env().sessions
  return role === 'end-user' ? endUser : staff
}

/** No session lives longer than this many minutes. */
export function longestMinutes(): number {
  const { staff, endUser } = env().sessions
  return Math.max(staff.longestMinutes, endUser.longestMinutes)
}

interface SessionTimes {
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly expiresAt: Date
}

/**
 * The session is locked without use, and ends at the latest, at these times in milliseconds; a role gained meanwhile counts.
 */
function sessionEnds(row: SessionTimes, role: Role): { readonly idle: number; readonly latest: number } {
  const { idleMinutes, longestMinutes } = sessionLifetime(role)
  return {
    idle: Math.min(row.idleExpiresAt.getTime(), row.lastSeenAt.getTime() + idleMinutes * 60_000),
    latest: Math.min(row.expiresAt.getTime(), row.createdAt.getTime() + longestMinutes * 60_000),
  }
}

/** Further use within this many seconds is not recorded. */
const resolution = 20

/** The person has used the dashboard: the time without use starts again. The result is its new end in milliseconds. */
export async function touchSession({ sessionId, role, idleExpiresAt }: Caller): Promise<number> {
  const { rows } = await pool().query<{ until: Date }>(TOUCH, [
    sessionId,
    sessionLifetime(role).idleMinutes,
    resolution,
    new Date(),
  ])
  return rows[0]?.until.getTime() ?? Date.parse(idleExpiresAt)
}

/** The times of sessions are by the clock of this machine, as when they begin: the database's may differ. */
const TOUCH = `
  UPDATE session SET last_seen_at = $4::timestamptz, idle_expires_at = $4::timestamptz + $2 * interval '1 minute'
  WHERE id = $1 AND ended_at IS NULL AND last_seen_at < $4::timestamptz - $3 * interval '1 second'
  RETURNING idle_expires_at AS until`

/**
 * The session of this token ends on the server, and its cookie becomes useless. The service has no logout
 * (§5.4), so its session id is deleted here. `next` is the token of the session that replaces it in the same browser.
 */
export async function endSession(
  token: string,
  why: 'signed-out' | 'replaced',
  source: CallSource,
  next: string | null = null,
): Promise<void> {
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ id: string; role: string }>(END_OF_TOKEN, [digestToken(token), why])
    const [ended] = rows
    if (!ended) return
    if (next !== null) await passOnProviderSession(tx, digestToken(token), digestToken(next))
    await recordAudit(tx, { actor: ended, action: 'session.end', outcome: 'done', details: { why } }, source)
  })
}

const END_OF_TOKEN = `
  UPDATE session SET ended_at = now(), end_reason = $2, service_session = NULL, service_key_id = NULL
  WHERE token_digest = $1 AND ended_at IS NULL
  RETURNING COALESCE(user_uuid, member_id)::text AS id, role`

/** The session at the provider stays open in the browser, so it belongs to the next session of the same person. */
async function passOnProviderSession(tx: Transaction, ended: Digest, next: Digest): Promise<void> {
  const { rows } = await tx.query<HeldSession>(PASS_ON, [ended, next])
  const [held] = rows
  if (!held) return
  const { bytes, keyId, sid } = held
  const idToken = bytes && keyId !== null ? unseal({ bytes, keyId }, identityTokenOf(ended)) : null
  await keepProviderSession(next, { idToken, sid }, tx)
}

type Digest = Uint8Array<ArrayBuffer>

interface HeldSession {
  readonly bytes: Digest | null
  readonly keyId: string | null
  readonly sid: string | null
}

const PASS_ON = `
  UPDATE session AS ended SET sso_token = NULL, sso_token_key_id = NULL, sso_session = NULL
  FROM session AS held, session AS next
  WHERE ended.token_digest = $1 AND held.id = ended.id AND next.token_digest = $2
    AND (next.member_id = held.member_id OR next.user_uuid = held.user_uuid)
    AND (held.sso_token IS NOT NULL OR held.sso_session IS NOT NULL)
    AND next.sso_token IS NULL AND next.sso_session IS NULL
  RETURNING held.sso_token AS bytes, held.sso_token_key_id AS "keyId", held.sso_session AS sid`

/**
 * The session at the provider is recorded, so that signing out at either side ends the other. `digest` is that of the
 * token of the session here; `sid` is the provider's own name of its session, if it gives one.
 */
export async function keepProviderSession(
  digest: Digest,
  { idToken, sid }: { readonly idToken: string | null; readonly sid: string | null },
  db: Pick<Transaction, 'query'> = pool(),
): Promise<void> {
  // People sign in also with a wrong key: without this hint the provider asks them to confirm that they sign out.
  const sealed = idToken === null ? null : seal(idToken, identityTokenOf(digest), writingKey())
  await db.query(KEEP, [digest, sealed?.bytes, sealed?.keyId, sid])
}

const KEEP =
  'UPDATE session SET sso_token = $2, sso_token_key_id = $3, sso_session = $4 WHERE token_digest = $1'

/** The sealed identity token is bound to this text. */
export const identityTokenOf = (digest: Uint8Array) =>
  `identity token of ${Buffer.from(digest).toString('hex')}`
