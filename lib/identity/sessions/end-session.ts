import 'server-only'
import type { CallSource } from '#lib/access/request-context.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from './token.ts'

/**
 * Ends the session of this token on the server; its cookie is worth nothing from then on.
 * The service has no logout (§5.4): its session id is forgotten here.
 */
export async function endSession(
  token: string,
  why: 'signed-out' | 'replaced',
  source: CallSource,
): Promise<void> {
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ id: string; role: string }>(END, [digestToken(token), why])
    const [ended] = rows
    if (!ended) return
    await recordAudit(tx, { actor: ended, action: 'session.end', outcome: 'done', details: { why } }, source)
  })
}

const END = `
  UPDATE session SET ended_at = now(), end_reason = $2, service_session = NULL, service_key_id = NULL
  WHERE token_digest = $1 AND ended_at IS NULL
  RETURNING COALESCE(user_uuid, member_id)::text AS id, role`
