import 'server-only'
import type { CallSource } from '#lib/access/request-context.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { Recipient } from './find-recipient.ts'

/**
 * Strangers used up what they may try in a day for one person: the person is told on their own pages, and all admins,
 * once a day. Of an address that nobody has there is nobody to tell.
 */
export async function raiseStrangerAlarm(
  { userUuid, isKnown }: Pick<Recipient, 'userUuid' | 'isKnown'>,
  source: CallSource,
): Promise<void> {
  if (!isKnown) return
  await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(RAISE, [userUuid])
    if (rowCount === 0) return
    const entry = {
      actor: null,
      action: 'code.strangers-stopped',
      target: userUuid,
      outcome: 'done',
    } as const
    await recordAudit(tx, entry, source)
    await tellAdmins(tx, {
      kind: 'strangers-stopped',
      actor: null,
      about: userUuid,
      facts: { user: userUuid },
    })
  })
}

const RAISE = `
  INSERT INTO stranger_alarm (user_uuid, day) VALUES ($1, (now() AT TIME ZONE 'UTC')::date)
  ON CONFLICT (user_uuid, day) DO NOTHING`
