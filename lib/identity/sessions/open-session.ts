import 'server-only'
import { uuidv7 } from 'uuidv7'
import { type Caller, type CallSource, noCallSource, requireServiceUser } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { type AuditFacts, recordAudit, recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { writingKey } from '#lib/platform/keys/agree-on-keys.ts'
import { digestToken, randomToken, seal, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { Refused, SignInAgain } from '#lib/platform/refusals.ts'
import type { OnBehalfOf } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { explainUnauthorized, serviceClient } from '#lib/service/service-client.ts'
import type { SignInMethod } from '../rules/sign-in.ts'
import { endLeastUsed, findLeastUsed, type SessionOwner } from './person-sessions.ts'
import { longestMinutes, sessionLifetime } from './read-session.ts'

interface SignedIn {
  /** The account is at the service; a member's account is looked up when it is not given. One of both ids must be known. */
  readonly userUuid: string | null
  /** Null for a person who is no member. */
  readonly memberId: string | null
  readonly method: SignInMethod
  /** Null when the service was not asked: calls in this person's name then ask to sign in again. */
  readonly serviceSessionId: string | null
  readonly role: Role
  /** The person proved who they are at this time, if that was before now. */
  readonly provedAt?: Date
  /** The session ends sooner than those of the role after this many minutes. */
  readonly maxMinutes?: number
}

/** The result is the token of the new session. Only the cookie holds it; it is not stored. */
export async function openSession(
  tx: Transaction,
  signedIn: SignedIn,
  source: CallSource,
  now: Date,
): Promise<string> {
  return (await insertSession(tx, signedIn, source, now)).token
}

/** The result also names the session and its owner. */
async function insertSession(
  tx: Transaction,
  { userUuid, memberId, method, serviceSessionId, role, provedAt, maxMinutes = longestMinutes() }: SignedIn,
  { userAgent, ip }: CallSource,
  now: Date,
): Promise<{ readonly token: string; readonly id: string; readonly owner: SessionOwner }> {
  const id = uuidv7()
  const token = randomToken()
  const lifetime = sessionLifetime(role)
  // People sign in also with a wrong key: a service session that does not open later only asks to sign in again.
  const sealed = serviceSessionId === null ? null : seal(serviceSessionId, id, writingKey())
  const { rows } = await tx.query<SessionOwner>(INSERT, [
    id,
    digestToken(token),
    userUuid,
    memberId,
    method,
    role,
    sealed?.bytes,
    sealed?.keyId,
    userAgent,
    ip,
    now,
    provedAt ?? now,
    inMinutes(now, Math.min(lifetime.idleMinutes, maxMinutes)),
    inMinutes(now, Math.min(lifetime.longestMinutes, maxMinutes)),
  ])
  return { token, id, owner: rows[0] ?? { userUuid, memberId } }
}

const INSERT = `
  INSERT INTO session (id, token_digest, user_uuid, member_id, method, role, service_session, service_key_id,
                       user_agent, ip, created_at, signed_in_at, last_seen_at, idle_expires_at, expires_at)
  VALUES ($1, $2, COALESCE($3, (SELECT user_uuid FROM member WHERE id = $4)), $4, $5, $6, $7, $8,
          $9, $10, $11, $12, $11, $13, $14)
  RETURNING user_uuid AS "userUuid", member_id AS "memberId"`

const inMinutes = (from: Date, minutes: number) => new Date(from.getTime() + minutes * 60_000)

/**
 * Somebody has signed in: the session is opened and recorded, and one that they have not used for longest ends when there
 * are too many. The result is the session's token.
 */
export async function startSession(
  tx: Transaction,
  signedIn: SignedIn,
  source: CallSource,
  facts: AuditFacts = {},
): Promise<string> {
  const { method, role } = signedIn
  const { token, id, owner } = await insertSession(tx, signedIn, source, new Date())
  // The audit's lock is taken after they are found, and before they are locked.
  const least = await findLeastUsed(tx, owner, id)
  const actor = { id: owner.userUuid ?? owner.memberId ?? '', role }
  const entry = { actor, action: 'session.start', outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { method, ...facts } }, source)
  if (least.length > 0) await endLeastUsed(tx, least, actor, source)
  return token
}

/**
 * A user-scoped call (§5.1) runs with the caller's service session. After a 401 (§5.4, §7) the service session
 * is dropped, unless the API key was refused: then the audit records that and the watcher notifies admins.
 * Throws `Refused` without an account at the service, and `SignInAgain` without a service session: the page stays and
 * asks the customer to sign in again.
 */
export async function callAsUser<T>(caller: Caller, call: (as: OnBehalfOf) => Promise<T>): Promise<T> {
  requireServiceUser(caller)
  const serviceSessionId = await findServiceSession(caller.sessionId)
  if (serviceSessionId === null) throw new SignInAgain()
  try {
    return await call({ serviceSessionId })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unauthorized') throw error
    if ((await explainUnauthorized(serviceClient())) === 'key-refused') {
      await recordAuditAlone(
        { actor: caller, action: 'service.key-refused', outcome: 'failed' },
        noCallSource,
      )
      throw new Refused('key-refused')
    }
    await dropServiceSession(caller.sessionId)
    throw new SignInAgain()
  }
}

async function findServiceSession(sessionId: string): Promise<string | null> {
  const row = await prisma().session.findUnique({
    where: { id: sessionId },
    select: { serviceSession: true, serviceKeyId: true, endedAt: true },
  })
  if (!row?.serviceSession || !row.serviceKeyId || row.endedAt) return null
  return unseal({ bytes: row.serviceSession, keyId: row.serviceKeyId }, sessionId)
}

async function dropServiceSession(sessionId: string) {
  await prisma().session.updateMany({
    where: { id: sessionId },
    data: { serviceSession: null, serviceKeyId: null },
  })
}
