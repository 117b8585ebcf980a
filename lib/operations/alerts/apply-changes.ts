import 'server-only'
import { uuidv7 } from 'uuidv7'
import { may } from '#lib/access/rules/roles.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { env } from '#lib/platform/env.ts'
import type { AlertChange, AlertEnd } from '../labels/alert-labels.ts'
import {
  type AlertRule,
  compareAlerts,
  emailChannelId,
  type FiringAlert,
  type Measured,
  worseOf,
} from '../rules/alert-changes.ts'
import { type ConditionCode, conditionOf, parseCondition } from '../rules/alert-conditions.ts'
import { dueAt, type QuietHours } from '../rules/quiet-hours.ts'
import { readAlertMembers } from './alert-members.ts'
import { stateOfNews } from './alerts.ts'
import { readAlertChannels } from './channel-store.ts'

/**
 * `settleMs`: nothing must be wrong for so long before an alert is resolved. `groupMs` and `pauseMs`: see `dueAt`. All in
 * milliseconds.
 */
export interface AlertTimes {
  readonly settleMs: number
  readonly groupMs: number
  readonly pauseMs: number
}

/** `applyChanges` stores what changed since the last round, with the news for each recipient. `now` is in ms since 1970. */
export async function applyChanges(
  tx: Transaction,
  rules: ReadonlyMap<ConditionCode, AlertRule>,
  measurements: ReadonlyMap<ConditionCode, readonly Measured[] | null>,
  now: number,
  times: AlertTimes,
): Promise<void> {
  const { rows } = await tx.query<AlertRow>(FIRING)
  const firing = rows.flatMap(toFiring)
  const news = new NewsWriter(tx, now, times)
  for (const [code, rule] of rules) {
    const ofCode = firing.filter(({ condition }) => condition === code)
    const changes = compareAlerts(rule, measurements.get(code) ?? null, ofCode, {
      now,
      settleMs: times.settleMs,
    })
    for (const { subject, value, since } of changes.fire) {
      const id = uuidv7()
      const began = new Date(Math.min(since ?? now, now))
      await tx.query(FIRE, [id, code, subject, value, rule.threshold, began])
      await news.notify(rule, id, 'fired')
    }
    for (const { id, value, repeat, reopen } of changes.keep) {
      const row = rows.find((one) => one.id === id)
      const worst = worseOf(code, value, row?.worst ?? value)
      await tx.query(KEEP, [id, value, worst, repeat])
      if (reopen) await tx.query(REOPEN, [id])
      if (repeat) await news.notify(rule, id, 'repeated')
      else if (row?.untold && !(await news.isAwaited(rule, row.waiting))) await news.notify(rule, id, 'fired')
    }
    if (changes.settle.length > 0) await tx.query(SETTLE, [changes.settle])
    const ends = [
      ['resolved', changes.resolve],
      ['unwatched', changes.unwatch],
    ] as const
    for (const [change, ids] of ends)
      for (const id of ids) {
        await tx.query(RESOLVE, [id])
        await news.notifyEnd(code, id, change)
      }
  }
}

/** The alert of another version's condition is left alone. */
function toFiring(row: AlertRow): FiringAlert[] {
  const condition = parseCondition(row.condition)
  if (condition === null) return []
  const { id, subject, threshold, ok_since: okSince, notified_at: notifiedAt, acknowledged } = row
  const acknowledgedValue = row.acknowledged_value
  return [
    {
      id,
      condition,
      subject,
      threshold,
      okSince: okSince?.getTime() ?? null,
      notifiedAt: notifiedAt.getTime(),
      acknowledged,
      acknowledgedValue,
    },
  ]
}

interface Recipient {
  readonly channelId: string
  /** The member whom an e-mail goes to; null for other channels. */
  readonly memberId: string | null
  readonly quiet: QuietHours | null
}

/** `NewsWriter` writes the news of one round. It reads the recipients when the first news come. */
class NewsWriter {
  readonly #tx: Transaction
  readonly #now: number
  readonly #times: AlertTimes
  #read: Promise<Awaited<ReturnType<typeof readRecipients>>> | undefined

  constructor(tx: Transaction, now: number, times: AlertTimes) {
    this.#tx = tx
    this.#now = now
    this.#times = times
  }

  /**
   * The news go to the recipients of the rule; to all when nobody gets them by any of its channels, or each has refused this
   * alert. The firing goes to each recipient once.
   */
  async notify(rule: AlertRule, alertId: string, change: 'fired' | 'repeated'): Promise<void> {
    const all = await this.#everybody(rule)
    if (all.length === 0) return
    const { rows } = await this.#tx.query<RecipientRow>(REFUSED, [alertId])
    const refused = new Set(rows.map(({ channel_id, member_id }) => keyOf(channel_id, member_id)))
    const isReached = ({ channelId, memberId }: Recipient) => !refused.has(keyOf(channelId, memberId))
    const chosen = all.filter(({ channelId }) => rule.channels?.includes(channelId))
    const wanted = chosen.some(isReached) ? chosen : all
    await this.#write(rule.condition, alertId, change, change === 'fired' ? wanted.filter(isReached) : wanted)
  }

  /** One of these recipients, for whom news of the rule wait, still gets news of it. */
  async isAwaited(rule: AlertRule, waiting: readonly RecipientRow[]): Promise<boolean> {
    if (waiting.length === 0) return false
    const keys = new Set(waiting.map(({ channel_id, member_id }) => keyOf(channel_id, member_id)))
    const all = await this.#everybody(rule)
    return all.some(({ channelId, memberId }) => keys.has(keyOf(channelId, memberId)))
  }

  async #everybody({ condition }: AlertRule): Promise<readonly Recipient[]> {
    const { members, channels } = await this.#recipients()
    const { urgency, needs } = conditionOf(condition)
    const receiving = members.filter(
      ({ role, receives }) => may(role, needs) && (receives === 'all' || urgency === 'urgent'),
    )
    return [
      ...receiving.map(({ memberId, quiet }) => ({ channelId: emailChannelId, memberId, quiet })),
      ...channels.map(({ id, quiet }) => ({ channelId: id, memberId: null, quiet })),
    ]
  }

  /** The end goes to all recipients of the beginning, whether it was sent or waits. */
  async notifyEnd(code: ConditionCode, alertId: string, change: AlertEnd): Promise<void> {
    const { rows } = await this.#tx.query<RecipientRow>(RECIPIENTS, [alertId])
    const { members, channels } = await this.#recipients()
    const quietOf = (channelId: string, memberId: string | null) =>
      (memberId === null
        ? channels.find(({ id }) => id === channelId)
        : members.find((member) => member.memberId === memberId)
      )?.quiet ?? null
    await this.#write(
      code,
      alertId,
      change,
      rows.map(({ channel_id: channelId, member_id: memberId }) => ({
        channelId,
        memberId,
        quiet: quietOf(channelId, memberId),
      })),
    )
  }

  async #write(
    code: ConditionCode,
    alertId: string,
    change: AlertChange,
    recipients: readonly Recipient[],
  ): Promise<void> {
    const { lastSent } = await this.#recipients()
    for (const { channelId, memberId, quiet } of recipients) {
      const lastMessageAt = lastSent.get(keyOf(channelId, memberId)) ?? null
      const due = dueAt(conditionOf(code).urgency, { quiet, lastMessageAt }, this.#now, this.#times)
      await this.#tx.query(INSERT_NEWS, [uuidv7(), alertId, change, channelId, memberId, new Date(due)])
    }
  }

  #recipients() {
    this.#read ??= readRecipients(this.#tx)
    return this.#read
  }
}

/** Members count only while a mail server is set. A dead man's switch gets no news, nor a channel whose address no key opens. */
async function readRecipients(tx: Transaction) {
  const members = env().mail === null ? [] : await readAlertMembers(tx)
  const channels = (await readAlertChannels(tx)).filter(
    ({ enabled, kind, target }) => enabled && kind !== 'heartbeat' && target !== null,
  )
  const { rows } = await tx.query<{ channel_id: string; member_id: string | null; at: Date }>(LAST_SENT)
  const lastSent = new Map(
    rows.map(({ channel_id, member_id, at }) => [keyOf(channel_id, member_id), at.getTime()]),
  )
  return { members, channels, lastSent }
}

interface RecipientRow {
  readonly channel_id: string
  readonly member_id: string | null
}

const keyOf = (channelId: string, memberId: string | null) => `${channelId} ${memberId ?? ''}`

interface AlertRow {
  readonly id: string
  readonly condition: string
  readonly subject: string
  readonly worst: number
  readonly threshold: number
  readonly ok_since: Date | null
  readonly notified_at: Date
  readonly acknowledged: boolean
  readonly acknowledged_value: number | null
  readonly untold: boolean
  readonly waiting: readonly RecipientRow[]
}

const ofFiring = `alert_id = alert.id AND change IN ('fired', 'repeated')`

/**
 * An alert is `untold` when its firing has reached nobody and nobody acknowledged it. It may be `waiting` for recipients, some of
 * whom get nothing any more: the channel was switched off, or the member left.
 */
const FIRING = `
  SELECT id, condition, subject, worst, threshold, ok_since, notified_at, acknowledged_at IS NOT NULL AS acknowledged,
    acknowledged_value, acknowledged_at IS NULL AND NOT EXISTS (
      SELECT FROM alert_news AS news WHERE ${ofFiring} AND ${stateOfNews} NOT IN ('waiting', 'failed')
    ) AS untold, (
      SELECT COALESCE(jsonb_agg(DISTINCT jsonb_build_object('channel_id', channel_id, 'member_id', member_id)), '[]')
      FROM alert_news AS news WHERE ${ofFiring} AND (message_id IS NULL OR ${stateOfNews} = 'waiting')
    ) AS waiting
  FROM alert WHERE resolved_at IS NULL FOR UPDATE`

const FIRE = `
  INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at) VALUES ($1, $2, $3, $4, $4, $5, $6)`

const KEEP = `
  UPDATE alert SET value = $2, worst = $3, ok_since = NULL, notified_at = CASE WHEN $4 THEN now() ELSE notified_at END
  WHERE id = $1 AND (value <> $2 OR worst <> $3 OR ok_since IS NOT NULL OR $4)`

const REOPEN =
  'UPDATE alert SET acknowledged_at = NULL, acknowledged_by = NULL, acknowledged_value = NULL WHERE id = $1'

/** A time in the future is from before the clock was set back. */
const SETTLE = `
  UPDATE alert SET ok_since = now() WHERE id = ANY($1::uuid[]) AND (ok_since IS NULL OR ok_since > now())`

const RESOLVE = 'UPDATE alert SET resolved_at = now() WHERE id = $1'

const RECIPIENTS = `
  SELECT DISTINCT channel_id, member_id FROM alert_news WHERE alert_id = $1 AND change IN ('fired', 'repeated')`

/** These recipients refused the last message to them about the firing of an alert, or were not reached in a day. */
const REFUSED = `
  SELECT channel_id, member_id FROM (
    SELECT DISTINCT ON (channel_id, member_id) channel_id, member_id, ${stateOfNews} AS state
    FROM alert_news AS news WHERE alert_id = $1 AND change IN ('fired', 'repeated')
    ORDER BY channel_id, member_id, news.id DESC
  ) AS latest WHERE state = 'failed'`

const LAST_SENT = `
  SELECT channel_id, member_id, LEAST(max(due_at), now()) AS at FROM alert_news
  WHERE message_id IS NOT NULL AND at > now() - interval '1 day' GROUP BY channel_id, member_id`

const INSERT_NEWS = `
  INSERT INTO alert_news (id, alert_id, change, channel_id, member_id, due_at) VALUES ($1, $2, $3, $4, $5, $6)`
