import 'server-only'
import { z } from 'zod'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { deviceLabel } from '../labels/sign-in-labels.ts'
import { parseSignInMethod, type SignInMethod } from '../rules/sign-in.ts'

/** A session as its owner, or an admin, sees it. Times are ISO 8601. */
export interface SessionView {
  readonly id: string
  /** Browser and system, as the browser says. */
  readonly device: string
  readonly ip: string | null
  readonly method: SignInMethod | null
  readonly signedInAt: string
  readonly lastSeenAt: string
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** Whose sessions: a user's of the service, a member's, or of somebody who is both. */
interface SessionOwner {
  readonly userUuid: string | null
  readonly memberId: string | null
}

/** The caller's own sessions that stand, the last used first. */
export const listOwnSessions = (caller: Caller): Promise<SessionView[]> =>
  listSessionsOf(caller, caller.sessionId)

/** For use cases that have checked who asks. */
export async function listSessionsOf(
  { userUuid, memberId }: SessionOwner,
  current: string | null = null,
): Promise<SessionView[]> {
  const { rows } = await pool().query<SessionRow>(LIST, [userUuid, memberId])
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
 * Whoever confirms who they are was seen then; that they were seen is written down more rarely. A session whose owner proved
 * it before, at the provider of single sign-on, began later.
 */
const LIST = `
  SELECT id, user_agent, ip, method, GREATEST(signed_in_at, created_at) AS signed_in_at, GREATEST(last_seen_at, signed_in_at) AS seen_at FROM session
  WHERE (user_uuid = $1 OR member_id = $2) AND ended_at IS NULL
    AND LEAST(idle_expires_at, expires_at) > clock_timestamp()
  ORDER BY seen_at DESC, id`

/**
 * For what somebody leaves behind that must end with their session or role: whoever ends the session meanwhile waits for
 * this transaction, and then finds what it has left. Throws `SignInAgain` when the session has ended.
 */
export async function requireStandingSession(tx: Transaction, sessionId: string): Promise<void> {
  const { rows } = await tx.query<{ ended: boolean }>(
    'SELECT ended_at IS NOT NULL AS ended FROM session WHERE id = $1 FOR SHARE',
    [sessionId],
  )
  if (rows[0]?.ended) throw new SignInAgain()
}

export const EndOwnSessionSchema = z.object({ sessionId: uuidField('This is not the id of a session.') })

/** Ends one of the caller's own sessions. Throws `Refused`. */
export async function endOwnSession(
  caller: Caller,
  { sessionId }: z.output<typeof EndOwnSessionSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  const ended = await inTransaction(pool(), (tx) =>
    endSessionsOf(tx, caller, { actor: caller, why: 'by-owner', only: sessionId }, source),
  )
  if (ended === 0) throw new Refused(gone)
  return { ended }
}

export const EndOtherSessionsSchema = z.object({})

/** Ends all of the caller's sessions but this one. */
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
  /** This one alone. */
  readonly only?: string
  /** All but this one. */
  readonly except?: string
  readonly reason?: string
}

/**
 * Ends sessions of somebody at once: their next call is refused, their streams and replays end by the database's own
 * trigger. For use cases that have checked who asks. Answers how many.
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

/** Ends everybody's sessions of before `until`, which a restored backup brought back. Answers how many. */
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

const gone = {
  title: 'This session has ended already.',
  next: 'Reload the page to see which ones there are.',
}

/** What an admin says of sessions to end, beside whose they are. */
export const EndSessionsSchema = z.object({
  /** All of them, when none is named. */
  sessionId: z.preprocess(
    (given) => (given === '' ? undefined : given),
    uuidField('This is not the id of a session.').optional(),
  ),
  reason: ReasonSchema,
})

/**
 * Ends one session of somebody, or all of them, at once. For use cases that have checked who asks; none of them asks for a
 * fresh sign-in: whoever sees something wrong is not to wait. Throws `Refused`.
 * @param findOwner null when there is nobody
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
  if (ended === 0) throw new Refused(nothing)
  return { ended }
}

const nothing = {
  title: 'There is no such session any more.',
  next: 'Reload the page to see where this person is signed in.',
}
