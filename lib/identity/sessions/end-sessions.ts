import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
import type { SessionOwner } from './list-sessions.ts'

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

export interface EndOfSessions {
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
