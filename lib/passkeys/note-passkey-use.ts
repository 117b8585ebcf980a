import 'server-only'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { tellAdmins } from '#lib/notices/tell-admins.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import type { ProvedPasskey } from './verify-passkey.ts'

/**
 * Writes down that a passkey was used: true when its counter went up, or is not kept by the device, which then always
 * says 0. False when it went back or stood still: another device may have a copy of the key.
 */
export async function notePasskeyUse(tx: Transaction, passkey: ProvedPasskey): Promise<boolean> {
  const { rowCount } = await tx.query(USED, [passkey.id, passkey.counter, passkey.backedUp])
  return rowCount === 1
}

const USED = `
  UPDATE passkey SET counter = $2, backed_up = $3, last_used_at = now()
  WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`

/** The person and all admins learn that somebody may have copied a passkey. */
export const reportCopiedPasskey = (
  { id, name, memberId }: ProvedPasskey,
  member: string,
  source: CallSource,
): Promise<void> =>
  inTransaction(pool(), async (tx) => {
    const details = { why: 'passkey-copied', passkey: id }
    const entry = { actor: null, action: 'session.start', target: memberId, outcome: 'refused' } as const
    await recordAudit(tx, { ...entry, details }, source)
    await tellAdmins(tx, {
      kind: 'passkey-copied',
      actor: null,
      about: memberId,
      facts: { member, passkey: name },
    })
  })
