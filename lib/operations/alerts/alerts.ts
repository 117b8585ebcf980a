import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { decodePlace, encodeCursor, pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { unitLabels, wordsOfAlert } from '../labels/alert-labels.ts'
import {
  type ConditionCode,
  conditionOf,
  conditionsFor,
  pageOfAlert,
  parseCondition,
  type Urgency,
} from '../rules/alert-conditions.ts'

/** Pages show an alert in this form. Times are ISO 8601. */
export interface AlertView {
  readonly id: string
  readonly condition: ConditionCode
  readonly urgency: Urgency
  /** The subject is an id, a reason, a host or a name; empty where the condition has one subject. */
  readonly subject: string
  readonly title: string
  /** The summary is a sentence without a full stop. */
  readonly summary: string
  readonly whatToDo: string
  /** The address of the page where the problem is seen begins with a slash. */
  readonly page: string
  /** The values are those measured last and worst, and the threshold when it fired, in the unit's words. */
  readonly value: number
  readonly worst: number
  readonly threshold: number
  readonly unit: string
  readonly beganAt: string
  readonly firedAt: string
  /** The time is null while the alert fires. */
  readonly resolvedAt: string | null
  readonly acknowledged: { readonly at: string; readonly by: string } | null
  /** The messages about the alert are counted by their state. */
  readonly messages: Readonly<Record<'waiting' | 'sent' | 'failed', number>>
}

/** `listAlerts` lists the firing alerts that the role may see, urgent ones first, then the oldest. It throws `NotAllowed`. */
export async function listAlerts(caller: Caller): Promise<readonly AlertView[]> {
  requirePermission(caller, 'see-alerts')
  const { rows } = await pool().query<AlertRow>(FIRING, [conditionsFor(caller.role), mostFiring])
  return rows
    .flatMap(toAlertView)
    .toSorted((one, other) => Number(other.urgency === 'urgent') - Number(one.urgency === 'urgent'))
}

/** More alerts than this at once have one cause; the list then has the oldest. */
const mostFiring = 500

/**
 * `listAlertHistory` lists resolved alerts, the latest end first; `next` is the cursor of older ones. It throws
 * `NotAllowed` and `CursorRefused`.
 */
export async function listAlertHistory(
  caller: Caller,
  {
    before = null,
    condition = null,
    limit,
  }: { before?: string | null; condition?: ConditionCode | null; limit?: number } = {},
): Promise<{ readonly alerts: readonly AlertView[]; readonly next: string | null }> {
  requirePermission(caller, 'see-alerts')
  const size = pageSize(limit)
  const wanted = conditionsFor(caller.role).filter((code) => condition === null || code === condition)
  const { rows } = await pool().query<AlertRow>(HISTORY, [wanted, ...decodePlace(before), size + 1])
  const { listed, next } = pageOf(rows, size, (last) =>
    encodeCursor([last.resolved_at?.toISOString() ?? '', last.id]),
  )
  return { alerts: listed.flatMap(toAlertView), next }
}

export const AlertIdSchema = z.object({ id: uuidField('This is not the id of an alert.') })

/**
 * `acknowledgeAlert` records that somebody works on it: it is not repeated, and waiting news of its firing are not sent. Its
 * end is still sent. The acknowledgement ends when it gets much worse. It throws `NotAllowed` and `Refused`.
 */
export async function acknowledgeAlert(
  caller: Caller,
  { id }: z.output<typeof AlertIdSchema>,
  source: CallSource,
): Promise<{ readonly id: string }> {
  requirePermission(caller, 'see-alerts')
  requirePermission(caller, 'work-on-cases')
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ condition: string }>(ACKNOWLEDGE, [
      id,
      caller.id,
      conditionsFor(caller.role),
    ])
    const [alert] = rows
    if (!alert) throw new Refused('alert-not-open')
    const { rowCount: forgotten } = await tx.query(FORGET_NEWS, [id])
    if (forgotten !== 0) await tx.query(NOT_NOTIFIED, [id])
    const entry = { actor: caller, action: 'alert.acknowledge', target: id, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { condition: alert.condition } }, source)
  })
  return { id }
}

/**
 * `unacknowledgeAlert` takes an acknowledgement back, whoever gave it: the alert is repeated again, at once where its firing was
 * not sent to all. It throws `NotAllowed` and `Refused`.
 */
export async function unacknowledgeAlert(
  caller: Caller,
  { id }: z.output<typeof AlertIdSchema>,
  source: CallSource,
): Promise<{ readonly id: string }> {
  requirePermission(caller, 'see-alerts')
  requirePermission(caller, 'work-on-cases')
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ condition: string }>(UNACKNOWLEDGE, [id, conditionsFor(caller.role)])
    const [alert] = rows
    if (!alert) throw new Refused('alert-not-acknowledged')
    const entry = { actor: caller, action: 'alert.unacknowledge', target: id, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { condition: alert.condition } }, source)
  })
  return { id }
}

interface AlertRow {
  readonly id: string
  readonly condition: string
  readonly subject: string
  readonly value: number
  readonly worst: number
  readonly threshold: number
  readonly began_at: Date
  readonly fired_at: Date
  readonly resolved_at: Date | null
  readonly acknowledged_at: Date | null
  readonly acknowledged_by: string | null
  readonly waiting: number
  readonly sent: number
  readonly failed: number
}

/** A condition of another version is left out. */
function toAlertView(row: AlertRow): AlertView[] {
  const condition = parseCondition(row.condition)
  if (condition === null) return []
  const { id, subject, value, worst, threshold, acknowledged_at: at, acknowledged_by: by } = row
  const { urgency, unit } = conditionOf(condition)
  const { title, summary, whatToDo } = wordsOfAlert(condition)
  return [
    {
      id,
      condition,
      urgency,
      subject,
      title,
      summary: summary(value, subject),
      whatToDo,
      page: pageOfAlert(condition, subject),
      value,
      worst,
      threshold,
      unit: unitLabels[unit],
      beganAt: row.began_at.toISOString(),
      firedAt: row.fired_at.toISOString(),
      resolvedAt: row.resolved_at?.toISOString() ?? null,
      acknowledged: at && { at: at.toISOString(), by: by ?? '' },
      messages: { waiting: row.waiting, sent: row.sent, failed: row.failed },
    },
  ]
}

/**
 * Each channel that is no e-mail has a message of its own, and each mail goes to one recipient. What became of a message stays
 * known after it was deleted. The state is null while no message has the news, and when that was taken back.
 */
export const stateOfNews = `COALESCE(
  (SELECT state FROM alert_message AS message WHERE message.id = news.message_id),
  (SELECT state FROM mail WHERE mail.kind = 'alerts' AND mail.about @> ARRAY[news.message_id] LIMIT 1),
  news.outcome)`

const ALERTS = `
  SELECT alert.id, condition, subject, value, worst, threshold, began_at, fired_at, resolved_at, acknowledged_at,
    CASE WHEN acknowledged_by IS NOT NULL THEN COALESCE(
      (SELECT name FROM member WHERE acknowledged_by IN (member.user_uuid::text, member.id::text) LIMIT 1),
      acknowledged_by) END AS acknowledged_by,
    waiting, sent, failed
  FROM alert CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE message_id IS NULL OR state = 'waiting')::int AS waiting,
           count(*) FILTER (WHERE state = 'sent')::int AS sent,
           count(*) FILTER (WHERE state IN ('failed', 'unknown'))::int AS failed
    FROM alert_news AS news CROSS JOIN LATERAL (SELECT ${stateOfNews} AS state) AS sending
    WHERE news.alert_id = alert.id
  ) AS messages
  WHERE condition = ANY($1::text[])`

const FIRING = `${ALERTS} AND resolved_at IS NULL ORDER BY fired_at, id LIMIT $2`

const HISTORY = `${ALERTS} AND resolved_at IS NOT NULL
  AND ($2::timestamptz IS NULL OR (resolved_at, id) < ($2::timestamptz, $3::uuid))
  ORDER BY resolved_at DESC, id DESC LIMIT $4`

const ACKNOWLEDGE = `
  UPDATE alert SET acknowledged_at = now(), acknowledged_by = $2, acknowledged_value = value
  WHERE id = $1 AND resolved_at IS NULL AND acknowledged_at IS NULL AND condition = ANY($3::text[])
  RETURNING condition`

const UNACKNOWLEDGE = `
  UPDATE alert SET acknowledged_at = NULL, acknowledged_by = NULL, acknowledged_value = NULL
  WHERE id = $1 AND resolved_at IS NULL AND acknowledged_at IS NOT NULL AND condition = ANY($2::text[])
  RETURNING condition`

/** Not everybody was notified, so the alert is repeated at once when the acknowledgement is taken back. */
const NOT_NOTIFIED = 'UPDATE alert SET notified_at = to_timestamp(0) WHERE id = $1'

const FORGET_NEWS = `
  DELETE FROM alert_news WHERE alert_id = $1 AND message_id IS NULL AND change IN ('fired', 'repeated')`
