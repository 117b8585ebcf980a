import 'server-only'
import type { CallSource } from '#lib/access/request-context.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { ProvedPasskey } from './verify-passkey.ts'

/**
 * Writes down that a passkey was used, unless it may have been `copied`: its counter went back or stood still, though only one
 * device has it. One that may be on several devices (BE) has several counters, so its counter says nothing; a device that
 * keeps none says 0 each time.
 */
export async function notePasskeyUse(
  tx: Transaction,
  { id, counter, backedUp, severalDevices }: ProvedPasskey,
): Promise<'copied' | { readonly counterWentBack?: true }> {
  const { rows } = await tx.query<{ went_up: boolean }>(USED, [id, counter, backedUp, severalDevices])
  const [row] = rows
  if (!row) return 'copied'
  return row.went_up ? {} : { counterWentBack: true }
}

const USED = `
  WITH known AS (
    SELECT id, counter < $2 OR (counter = 0 AND $2 = 0) AS went_up FROM passkey WHERE id = $1 FOR UPDATE
  )
  UPDATE passkey SET counter = $2, backed_up = $3, last_used_at = now()
  FROM known WHERE passkey.id = known.id AND (known.went_up OR $4)
  RETURNING known.went_up`

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
