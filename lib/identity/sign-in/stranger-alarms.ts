import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireServiceUser } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { Recipient } from './code-request.ts'

/**
 * Strangers last used up their daily attempts for this person at this time (ISO 8601); null when there is
 * nothing to show, or the person has marked it as seen.
 */
export async function findStrangerAlarm({ userUuid }: Caller): Promise<string | null> {
  const { rows } = await pool().query<{ at: Date | null }>(FIND, [userUuid])
  return rows[0]?.at?.toISOString() ?? null
}

export const MarkStrangerAlarmsSeenSchema = z.object({})

/** The person has seen the alarm. */
export async function markStrangerAlarmsSeen(
  caller: Caller,
  _form: z.output<typeof MarkStrangerAlarmsSeenSchema>,
  source: CallSource,
): Promise<{ readonly marked: number }> {
  const userUuid = requireServiceUser(caller)
  return inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(MARK, [userUuid])
    const marked = rowCount ?? 0
    const entry = { actor: caller, action: 'code.alarm-seen', target: userUuid } as const
    if (marked > 0) await recordAudit(tx, { ...entry, outcome: 'done', details: { marked } }, source)
    return { marked }
  })
}

const FIND = 'SELECT max(at) AS at FROM stranger_alarm WHERE user_uuid = $1 AND seen_at IS NULL'

const MARK = 'UPDATE stranger_alarm SET seen_at = now() WHERE user_uuid = $1 AND seen_at IS NULL'

/**
 * Strangers used up their daily attempts for one person: once a day, the person is notified on their own pages,
 * and so are all admins. An unknown address has nobody to notify.
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
