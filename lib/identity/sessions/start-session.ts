import 'server-only'
import type { CallSource } from '#lib/access/request-context.ts'
import { type AuditFacts, recordAudit } from '#lib/audit/record-audit.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { insertSession, type SignedIn } from './open-session.ts'

/** Somebody has signed in: opens their session and writes that down. Answers the session's token. */
export async function startSession(
  tx: Transaction,
  signedIn: SignedIn,
  source: CallSource,
  facts: AuditFacts = {},
): Promise<string> {
  const { method, role } = signedIn
  const { token, owner } = await insertSession(tx, signedIn, source, new Date())
  const entry = { actor: { id: owner, role }, action: 'session.start', outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { method, ...facts } }, source)
  return token
}
