import 'server-only'
import type pg from 'pg'
import type { AlertChange } from '../labels/alert-labels.ts'
import type { MessageAlert } from '../labels/alert-messages.ts'
import { parseCondition } from '../rules/alert-conditions.ts'

/**
 * `readMessageAlerts` reads the alerts of one message as they are now, from the oldest on. The news of their end go with it, if
 * they still wait.
 */
export async function readMessageAlerts(pool: pg.Pool, messageId: string): Promise<MessageAlert[]> {
  await pool.query(TAKE_ENDS, [messageId])
  const { rows } = await pool.query<MessageAlertRow>(ALERTS, [messageId])
  return rows.flatMap((row) => {
    const condition = parseCondition(row.condition)
    if (condition === null) return []
    const { id, subject, value, threshold, began_at: beganAt, resolved_at: resolvedAt } = row
    return [
      {
        id,
        condition,
        subject,
        change: changeOf(row),
        value,
        threshold,
        beganAt: beganAt.toISOString(),
        resolvedAt: resolvedAt?.toISOString() ?? null,
      },
    ]
  })
}

const changeOf = ({ resolved_at: resolvedAt, changes }: MessageAlertRow): AlertChange => {
  if (resolvedAt !== null) return 'resolved'
  return changes.includes('fired') ? 'fired' : 'repeated'
}

interface MessageAlertRow {
  readonly id: string
  readonly condition: string
  readonly subject: string
  readonly value: number
  readonly threshold: number
  readonly began_at: Date
  readonly resolved_at: Date | null
  readonly changes: readonly string[]
}

const TAKE_ENDS = `
  UPDATE alert_news AS news SET message_id = $1, due_at = LEAST(news.due_at, clock_timestamp())
  FROM alert_news AS sent
  WHERE sent.message_id = $1 AND news.alert_id = sent.alert_id AND news.channel_id = sent.channel_id
    AND news.member_id IS NOT DISTINCT FROM sent.member_id AND news.message_id IS NULL AND news.change = 'resolved'`

const ALERTS = `
  SELECT alert.id, condition, subject, value, threshold, began_at, resolved_at, array_agg(change) AS changes
  FROM alert_news AS news JOIN alert ON alert.id = news.alert_id
  WHERE news.message_id = $1 GROUP BY alert.id ORDER BY alert.fired_at, alert.id LIMIT 200`
