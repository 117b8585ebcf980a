import 'server-only'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { prisma } from '#lib/db/prisma.ts'
import { type Role, roles } from '#lib/domain/access/roles.ts'
import { parseSignInMethod } from '#lib/domain/sign-in/sign-in-method.ts'
import type { Caller } from '#lib/request/caller.ts'
import { noCallSource } from '#lib/request/request-context.ts'
import { findMembership } from '#lib/team/find-membership.ts'
import { sessionEnds } from './session-lifetime.ts'
import { digestToken } from './token.ts'

/**
 * The caller of this token; null when the session has ended, is locked, or its role was withdrawn, and for whoever is
 * still setting up a way to sign in. The role is read at every call. Reading a session is no use of it: pages read by
 * themselves, see `touchSession`.
 */
export async function readSession(token: string, now: Date): Promise<Caller | null> {
  const found = await lookUp({ tokenDigest: digestToken(token) }, now)
  return found && !found.settingUp ? found.caller : null
}

/** The caller of a session that a link opened, good for setting up a way to sign in; null for every other session. */
export async function readSetUpSession(token: string, now: Date): Promise<Caller | null> {
  const found = await lookUp({ tokenDigest: digestToken(token) }, now)
  return found?.settingUp ? found.caller : null
}

/** Whether somebody is signed in still, with the same role: for what outlasts a request. Asking is no use of the session. */
export async function isSignedInStill({ sessionId, role }: Caller): Promise<boolean> {
  const found = await lookUp({ id: sessionId }, new Date())
  return found?.caller.role === role
}

async function lookUp(which: { tokenDigest: Uint8Array<ArrayBuffer> } | { id: string }, now: Date) {
  const row = await prisma().session.findUnique({ where: which })
  if (!row || row.endedAt || row.idleExpiresAt <= now || row.expiresAt <= now) return null
  const id = row.userUuid ?? row.memberId
  const method = parseSignInMethod(row.method)
  if (id === null || method === null) return null
  const [{ memberId, role, name, email, settingUp }, person] = await Promise.all([
    findMembership({ userUuid: row.userUuid, memberId: row.memberId, method }),
    row.userUuid === null ? null : prisma().person.findUnique({ where: { userUuid: row.userUuid } }),
  ])
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
    name: name ?? nameOf(person),
    email: person?.email ?? email,
    method,
    signedInAt: row.signedInAt.toISOString(),
    idleExpiresAt: new Date(idle).toISOString(),
    expiresAt: new Date(latest).toISOString(),
  }
  return { caller, settingUp }
}

/** Staff whose role has changed must sign in again; an end user who became staff need not. */
const lostRole = (then: string, now: Role) => then !== now && then !== roles[0]

/** Nobody asked for it: the audit has no actor. */
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
  UPDATE session SET ended_at = $2, end_reason = 'role-lost', service_session = NULL, service_key_id = NULL
  WHERE id = $1 AND ended_at IS NULL`

function nameOf(person: { firstName: string | null; lastName: string | null } | null): string | null {
  return [person?.firstName, person?.lastName].filter(Boolean).join(' ') || null
}
