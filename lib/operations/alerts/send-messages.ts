import 'server-only'
import type pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { uuidv7 } from 'uuidv7'
import { isSandboxReceiver } from '#lib/platform/addresses/public-address.ts'
import {
  type Claimed,
  ClaimedQueue,
  type ClaimedRow,
  claimedColumns,
  claimedOf,
  claimMs,
  type SendingResult,
  sendingResultOf,
  startSender,
  waitAtMost,
} from '#lib/platform/db/claimed-queue.ts'
import type { Rounds } from '#lib/platform/db/concurrency.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { env } from '#lib/platform/env.ts'
import { failureMessage, sendChecked } from '#lib/platform/http/send-checked.ts'
import { causeOf, limitedLog, noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { patienceOf, type TryOutcome } from '#lib/platform/rules/mail-states.ts'
import type { AlertChange } from '../labels/alert-labels.ts'
import {
  type AlertText,
  type MessageAlert,
  slackOfAlerts,
  teamsOfAlerts,
  webhookOfAlerts,
} from '../labels/alert-messages.ts'
import { conditionOf, parseCondition } from '../rules/alert-conditions.ts'
import { type AlertChannel, findAlertChannel, noteCall } from './channel-store.ts'

const log = logOf('alerts')
const limited = limitedLog(log, 600_000)

/** A process tries a message of one channel. */
interface ClaimedMessage extends Claimed {
  readonly kind: string
  readonly channelId: string
  readonly createdAt: Date
}

interface MessageRow extends ClaimedRow {
  readonly kind: string
  readonly channel_id: string
  readonly created_at: Date
}

const columns = `${claimedColumns}, kind, channel_id, created_at`

export const messageQueue = new ClaimedQueue<MessageRow>({
  table: 'alert_message',
  columns,
  left: 'The Rampart that sent it ended before the channel answered.',
})

const toClaimed = (row: MessageRow): ClaimedMessage => ({
  ...claimedOf(row),
  kind: row.kind,
  channelId: row.channel_id,
  createdAt: row.created_at,
})

/**
 * `queueMessage` queues a message for a channel. A failed try is repeated after 1 to 30 minutes, for 24 hours (`mail-states.ts`).
 * The text is made at each try of the news that refer to it.
 */
export async function queueMessage(tx: Transaction, channelId: string): Promise<string> {
  const id = uuidv7()
  await tx.query(INSERT, [id, channelId, patienceOf.alerts])
  return id
}

const INSERT = `
  INSERT INTO alert_message (id, kind, channel_id, give_up_at) VALUES ($1, 'alerts', $2, now() + $3 * interval '1 ms')`

/** `queueTestMessage` queues a test and claims it for a caller, who tries it after the commit. */
export async function queueTestMessage(tx: Transaction, channelId: string): Promise<ClaimedMessage> {
  const { rows } = await tx.query<MessageRow>(INSERT_TEST, [uuidv7(), channelId, patienceOf.test, claimMs])
  const [claimed] = rows.map(toClaimed)
  if (!claimed) throw new Error('A test was not queued')
  return claimed
}

const INSERT_TEST = `
  INSERT INTO alert_message (id, kind, channel_id, give_up_at, tries, tried_at, claimed_until)
  VALUES ($1, 'test', $2, now() + $3 * interval '1 ms', 1, clock_timestamp(), clock_timestamp() + $4 * interval '1 ms')
  RETURNING ${columns}`

/** `tryMessageNow` tries a message for a caller who waits at most `patience` milliseconds. */
export function tryMessageNow(
  pool: pg.Pool,
  message: ClaimedMessage,
  patience = 12_000,
): Promise<SendingResult> {
  const trying = tryMessage(pool, message)
  trying.catch(noting(log)('error', 'What came of a message was not kept'))
  return waitAtMost(trying, patience, 'The channel has not answered yet.')
}

/** `startSendingMessages` sends waiting messages every `every` milliseconds and whenever it is requested. */
export function startSendingMessages(pool: pg.Pool, every = 15_000): Rounds {
  return startSender({
    prepare: () => messageQueue.settleLeft(pool),
    claim: async (most) => (await messageQueue.claimDue(pool, most)).map(toClaimed),
    attempt: (message, stopped) => tryMessage(pool, message, stopped),
    complain: (error) =>
      limited.warn(causeOf(error), { err: error }, 'Alerts were not sent; they are in the next round'),
    every,
  })
}

async function tryMessage(
  pool: pg.Pool,
  message: ClaimedMessage,
  stopped?: AbortSignal,
): Promise<SendingResult> {
  const tried = await messageQueue.attempt(pool, message, () => carry(pool, message, stopped))
  if (tried === null) return { state: 'failed', answer: 'Its channel was removed or switched off.' }
  const { outcome, after } = tried
  const fault = outcome.kind === 'taken' ? null : outcome.answer
  await noteCall(pool, message.channelId, fault)
  if (after.state === 'failed' || after.state === 'unknown')
    log.warn({ message: message.id, answer: outcome.answer }, 'A message about alerts is not tried any more')
  else if (fault !== null)
    limited.warn(message.channelId, { message: message.id, answer: fault }, 'A channel did not take alerts')
  return sendingResultOf(tried)
}

/** The outcome is null when the channel is gone or off, or nothing is left to tell. */
async function carry(
  pool: pg.Pool,
  message: ClaimedMessage,
  stopped: AbortSignal | undefined,
): Promise<TryOutcome | null> {
  const channel = await findAlertChannel(pool, message.channelId)
  const isTest = message.kind === 'test'
  if (channel === null || (!channel.enabled && !isTest)) return null
  const alerts = isTest ? [] : await readMessageAlerts(pool, message.id)
  if (alerts.length === 0 && !isTest) return null
  const text = { alerts, dashboard: env().publicUrl.href, at: message.createdAt.toISOString() }
  const outcome = await post(
    channel,
    message,
    text,
    () => messageQueue.markHandedOver(pool, message),
    stopped,
  )
  // A person waits for the answer to a test, and tries again by hand.
  return isTest && outcome.kind === 'later' ? { ...outcome, kind: 'refused' } : outcome
}

/** A channel must answer within this many milliseconds. */
const timeoutMs = 10_000

async function post(
  channel: AlertChannel,
  message: ClaimedMessage,
  text: AlertText,
  beforeSending: () => Promise<void>,
  stopped: AbortSignal | undefined,
): Promise<TryOutcome> {
  if (channel.target === null)
    return { kind: 'later', answer: 'The key that opens its address is gone: give the address again.' }
  const { address, secret } = channel.target
  const url = new URL(address)
  const body = Buffer.from(JSON.stringify(bodyOf(channel, text)))
  let isConnected = false
  try {
    const status = await sendChecked(
      {
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Rampart',
          ...signed(message, body, secret),
        },
        body,
        loopback: isSandboxReceiver(url),
        timeoutMs,
        beforeSending,
        onConnected: () => {
          isConnected = true
        },
      },
      stopped,
    )
    if (status >= 200 && status < 300) return { kind: 'taken', answer: `It answered ${status}.` }
    return { kind: status === 410 ? 'refused' : 'later', answer: `It answered ${status}.` }
  } catch (error) {
    return { kind: isConnected ? 'unsure' : 'later', answer: `${failureMessage(error)}.` }
  }
}

function bodyOf({ kind }: AlertChannel, text: AlertText): object {
  switch (kind) {
    case 'slack':
      return slackOfAlerts(text)
    case 'teams':
      return teamsOfAlerts(text)
    case 'webhook':
    case 'heartbeat':
      return webhookOfAlerts(text)
  }
}

/** A message keeps its id over all tries, so that a receiver recognises a copy (Standard Webhooks). */
function signed({ id }: ClaimedMessage, body: Buffer, secret: string | null): Record<string, string> {
  if (secret === null) return {}
  const at = new Date()
  return {
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(`msg_${id}`, at, body.toString()),
  }
}

/** A message has at most this many alerts. The others wait for the next one. */
const mostAlerts = 200

/**
 * `readMessageAlerts` reads the alerts of one message as they are now: the urgent ones that fire, the others that fire, and those
 * that are resolved, the oldest first. The news of their end go with it, if they still wait.
 */
export async function readMessageAlerts(pool: pg.Pool, messageId: string): Promise<MessageAlert[]> {
  await pool.query(TAKE_ENDS, [messageId])
  const { rows } = await pool.query<MessageAlertRow>(ALERTS, [messageId])
  const sorted = toMessageAlerts(rows).toSorted((one, other) => weightOf(other) - weightOf(one))
  const late = sorted.slice(mostAlerts)
  if (late.length > 0) await pool.query(LEAVE, [messageId, late.map(({ id }) => id)])
  return sorted.slice(0, mostAlerts)
}

const weightOf = ({ condition, resolvedAt }: MessageAlert) =>
  resolvedAt !== null ? 0 : conditionOf(condition).urgency === 'urgent' ? 2 : 1

function toMessageAlerts(rows: readonly MessageAlertRow[]): MessageAlert[] {
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
  if (resolvedAt !== null) return changes.includes('unwatched') ? 'unwatched' : 'resolved'
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
    AND news.member_id IS NOT DISTINCT FROM sent.member_id AND news.message_id IS NULL AND news.change IN ('resolved', 'unwatched')`

const ALERTS = `
  SELECT alert.id, condition, subject, value, threshold, began_at, resolved_at, array_agg(change) AS changes
  FROM alert_news AS news JOIN alert ON alert.id = news.alert_id
  WHERE news.message_id = $1 GROUP BY alert.id ORDER BY alert.fired_at, alert.id`

const LEAVE = 'UPDATE alert_news SET message_id = NULL WHERE message_id = $1 AND alert_id = ANY($2::uuid[])'
