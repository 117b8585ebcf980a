import 'server-only'
import { z } from 'zod'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { fieldCode } from '#lib/words/labels/refusals.ts'
import { deviceLabel } from '../labels/sign-in-labels.ts'
import { parseSignInMethod, type SignInMethod } from '../rules/sign-in.ts'

/** The owner or an admin sees a session in this form. Times are ISO 8601. */
export interface SessionView {
  readonly id: string
  /** The browser itself says which browser and system it is. */
  readonly device: string
  readonly ip: string | null
  readonly method: SignInMethod | null
  readonly signedInAt: string
  readonly lastSeenAt: string
  /** The request came from this session. */
  readonly current: boolean
}

/** A person has this many open sessions at most, so that ending them all holds up nobody else's entry in the audit. */
const mostSessions = 50

/** The sessions belong to a user of the service, to a member, or to somebody who is both. */
export interface SessionOwner {
  readonly userUuid: string | null
  readonly memberId: string | null
}

/** The caller's open sessions come with the last used first. */
export const listOwnSessions = (caller: Caller): Promise<SessionView[]> =>
  listSessionsOf(caller, caller.sessionId)

/** The calling use case has checked the permission. */
export async function listSessionsOf(
  { userUuid, memberId }: SessionOwner,
  current: string | null = null,
): Promise<SessionView[]> {
  const { rows } = await pool().query<SessionRow>(LIST, [userUuid, memberId, new Date()])
  return rows.map(({ id, user_agent, ip, method, signed_in_at, seen_at }) => ({
    id,
    device: deviceLabel(user_agent),
    ip,
    method: parseSignInMethod(method),
    signedInAt: signed_in_at.toISOString(),
    lastSeenAt: seen_at.toISOString(),
    current: id === current,
  }))
}

interface SessionRow {
  readonly id: string
  readonly user_agent: string | null
  readonly ip: string | null
  readonly method: string
  readonly signed_in_at: Date
  readonly seen_at: Date
}

/**
 * A confirmation counts as use, because uses are recorded more rarely. A session begins later than its proof
 * when the owner had proved it before, at the single sign-on provider.
 */
const LIST = `
  SELECT id, user_agent, ip, method, GREATEST(signed_in_at, created_at) AS signed_in_at, GREATEST(last_seen_at, signed_in_at) AS seen_at FROM session
  WHERE (user_uuid = $1 OR member_id = $2) AND ended_at IS NULL
    AND LEAST(idle_expires_at, expires_at) > $3
  ORDER BY seen_at DESC, id LIMIT ${2 * mostSessions}`

/**
 * Things that must end with their session or role are created under this lock: somebody who ends the session
 * waits for this transaction and then finds them. Throws `SignInAgain` when the session has ended.
 */
export async function requireStandingSession(tx: Transaction, sessionId: string): Promise<void> {
  const { rows } = await tx.query<{ ended: boolean }>(
    'SELECT ended_at IS NOT NULL AS ended FROM session WHERE id = $1 FOR SHARE',
    [sessionId],
  )
  if (rows[0]?.ended) throw new SignInAgain()
}

export const EndOwnSessionSchema = z.object({ sessionId: uuidField(fieldCode('not-a-session')) })

/** The caller ends one of their own sessions. Throws `Refused`. */
export async function endOwnSession(
  caller: Caller,
  { sessionId }: z.output<typeof EndOwnSessionSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  const ended = await inTransaction(pool(), (tx) =>
    endSessionsOf(tx, caller, { actor: caller, why: 'by-owner', only: sessionId }, source),
  )
  if (ended === 0) throw new Refused('session-ended')
  return { ended }
}

export const EndOtherSessionsSchema = z.object({})

/** The caller ends all their sessions but this one. */
export async function endOtherSessions(
  caller: Caller,
  _form: object,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  const ended = await inTransaction(pool(), (tx) =>
    endSessionsOf(tx, caller, { actor: caller, why: 'by-owner', except: caller.sessionId }, source),
  )
  return { ended }
}

interface EndOfSessions {
  readonly actor: Caller | null
  readonly why: 'by-owner' | 'by-admin' | 'by-provider' | 'role-lost' | 'member-removed'
  /** Only this session ends. */
  readonly only?: string
  /** All sessions but this one end. */
  readonly except?: string
  readonly reason?: string
}

/**
 * The sessions end at once: the next call is refused, and a trigger of the database ends streams and replays.
 * The calling use case has checked the permission. The result is their number.
 */
export async function endSessionsOf(
  tx: Transaction,
  { userUuid, memberId }: SessionOwner,
  { actor, why, only, except, reason }: EndOfSessions,
  source: CallSource,
): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(END, [userUuid, memberId, why, only, except])
  const target = userUuid ?? memberId ?? ''
  for (const { id } of rows) {
    const entry = { actor, action: 'session.end', target, outcome: 'done' } as const
    const given = reason === undefined ? {} : { reason }
    await recordAudit(tx, { ...entry, ...given, details: { why, session: id } }, source)
  }
  return rows.length
}

/** So many sessions of this person are open that these should end for the one that begins. The result has their ids. */
export async function findLeastUsed(
  tx: Transaction,
  { userUuid, memberId }: SessionOwner,
  beginning: string,
): Promise<string[]> {
  const values = [userUuid, memberId, beginning, mostSessions - 1, new Date()]
  return (await tx.query<{ id: string }>(LEAST_USED, values)).rows.map(({ id }) => id)
}

const LEAST_USED = `
  SELECT id FROM session
  WHERE (user_uuid = $1 OR member_id = COALESCE($2, (SELECT id FROM member WHERE user_uuid = $1)))
    AND ended_at IS NULL AND id <> $3
  ORDER BY LEAST(idle_expires_at, expires_at) > $5 DESC, GREATEST(last_seen_at, signed_in_at) DESC, id DESC
  OFFSET $4`

/**
 * The sessions end, except for one that somebody else is ending: whoever holds the audit's lock waits for nobody. One that
 * has expired ends without an entry in the audit. `actor` is the person, who has signed in once more.
 */
export async function endLeastUsed(
  tx: Transaction,
  ids: readonly string[],
  actor: { readonly id: string; readonly role: Role },
  source: CallSource,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; isOpen: boolean }>(END_LEAST_USED, [ids, new Date()])
  const entry = { actor, action: 'session.end', target: actor.id, outcome: 'done' } as const
  for (const { id, isOpen } of rows)
    if (isOpen) await recordAudit(tx, { ...entry, details: { why: 'replaced', session: id } }, source)
}

const END_LEAST_USED = `
  UPDATE session SET ended_at = now(), end_reason = 'replaced', service_session = NULL, service_key_id = NULL,
    sso_token = NULL, sso_token_key_id = NULL
  WHERE ended_at IS NULL
    AND id = ANY(ARRAY(SELECT id FROM session WHERE id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED))
  RETURNING id, LEAST(idle_expires_at, expires_at) > $2 AS "isOpen"`

/** All sessions from before `until`, which a restored backup brought back, are ended. The result is their number. */
export async function endSessionsOfAll(tx: Transaction, until: Date): Promise<number> {
  return (await tx.query(END_ALL, [until])).rowCount ?? 0
}

const END_ALL = `
  UPDATE session SET ended_at = now(), end_reason = 'restored', service_session = NULL, service_key_id = NULL,
    sso_token = NULL, sso_token_key_id = NULL
  WHERE ended_at IS NULL AND created_at <= $1`

const END = `
  UPDATE session SET ended_at = now(), end_reason = $3, service_session = NULL, service_key_id = NULL,
    sso_token = NULL, sso_token_key_id = NULL
  WHERE (user_uuid = $1 OR member_id = $2) AND ended_at IS NULL
    AND ($4::uuid IS NULL OR id = $4::uuid) AND ($5::uuid IS NULL OR id <> $5::uuid)
  RETURNING id`

/** The admin gives these fields, beside the owner of the sessions. */
export const EndSessionsSchema = z.object({
  /** All sessions end when none is named. */
  sessionId: z.preprocess(
    (given) => (given === '' ? undefined : given),
    uuidField(fieldCode('not-a-session')).optional(),
  ),
  reason: ReasonSchema,
})

/**
 * One session of somebody, or all of them, end at once. The calling use case has checked the permission; no fresh sign-in is
 * needed, so that nobody has to wait in an emergency. `findOwner` returns null for an unknown person. Throws `Refused`.
 */
export async function endSessionsAsAdmin(
  caller: Caller,
  findOwner: (tx: Transaction) => Promise<SessionOwner | null>,
  { sessionId, reason }: z.output<typeof EndSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  const ended = await inTransaction(pool(), async (tx) => {
    const owner = await findOwner(tx)
    if (!owner) return 0
    const only = sessionId === undefined ? {} : { only: sessionId }
    return endSessionsOf(tx, owner, { actor: caller, why: 'by-admin', reason, ...only }, source)
  })
  if (ended === 0) throw new Refused('session-unknown')
  return { ended }
}
