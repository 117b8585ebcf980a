import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { may } from '#lib/access/rules/roles.ts'
import { readServiceState, unwatchedSince } from '#lib/endpoints/service-key/service-state.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { startRounds } from '#lib/platform/db/concurrency.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'
import { env } from '#lib/platform/env.ts'
import { causeOf, limitedLog, noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { queueMails, type Writer } from '#lib/platform/mail/mail-queue.ts'
import { presentRecipients } from '#lib/platform/rules/mail-address.ts'
import { patienceOf } from '#lib/platform/rules/mail-states.ts'
import { someShardIsHeld } from '#lib/timeline/projector/shard-leases.ts'
import { mailOfAlerts } from '../labels/alert-messages.ts'
import { emailChannelId, type Measured } from '../rules/alert-changes.ts'
import { type ConditionCode, conditionCodes, conditionOf } from '../rules/alert-conditions.ts'
import { groupMs, pauseMs } from '../rules/quiet-hours.ts'
import { readAlertMembers } from './alert-members.ts'
import { readAlertRules } from './alert-rules.ts'
import { type AlertTimes, applyChanges } from './apply-changes.ts'
import { callHeartbeat, readAlertChannels } from './channel-store.ts'
import { endProcessReport, type Sights, writeProcessReport } from './process-report.ts'
import { readMeasurements } from './read-measurements.ts'
import { queueMessage, readMessageAlerts, startSendingMessages } from './send-messages.ts'

const log = logOf('alerts')
const limited = limitedLog(log, 600_000)

/** A round comes each `everyMs`, and slow conditions are measured each `slowMs`. The lease outlasts a slow round. */
const everyMs = 15_000
const slowMs = 5 * 60_000
const leaseMs = 90_000

export const alertTimes: AlertTimes = { settleMs: 60_000, groupMs, pauseMs }

/** The slow measurements of the last rounds stay valid for `slowMs`, counted by the monotonic clock. */
interface KnownMeasurements {
  readonly at: number
  readonly found: ReadonlyMap<ConditionCode, readonly Measured[] | null>
}

/** `AlertRounds` measures all conditions and makes messages, in one process at a time (decision 0144). */
export class AlertRounds {
  readonly #pool: pg.Pool
  readonly #times: AlertTimes
  readonly #job = new Job('alerts', leaseMs)
  #slow: KnownMeasurements | null = null
  #isAway = false
  /** The database came back so many milliseconds after the start of this process; 0 when it was never away. */
  #backAfter = 0

  constructor(pool: pg.Pool, times: AlertTimes = alertTimes) {
    this.#pool = pool
    this.#times = times
  }

  /** `run` runs one round. False when another process does the work. It throws while the database is away. */
  async run(): Promise<boolean> {
    try {
      return await this.#run()
    } catch (error) {
      this.#isAway = true
      throw error
    }
  }

  async #run(): Promise<boolean> {
    if (!(await this.#job.take(this.#pool))) {
      this.#slow = null
      return false
    }
    const now = await readClock(this.#pool)
    if (this.#isAway) this.#backAfter = performance.now()
    this.#isAway = false
    const rules = await readAlertRules(this.#pool)
    const quick = await readMeasurements(this.#pool, rules, now, quickConditions, this.#backAfter)
    const at = performance.now()
    if (this.#slow === null || at - this.#slow.at >= slowMs)
      this.#slow = { at, found: await readMeasurements(this.#pool, rules, now, slowConditions) }
    const found = new Map([...quick, ...this.#slow.found])
    const held = await inTransaction(this.#pool, async (tx) => {
      if (!(await this.#job.hold(tx))) return false
      await applyChanges(tx, rules, found, now, this.#times)
      await makeMessages(tx)
      return true
    })
    if (held) await callHeartbeats(this.#pool, now)
    return held
  }

  release(): Promise<void> {
    return this.#job.release(this.#pool)
  }
}

const slowConditions = conditionCodes.filter((code) => conditionOf(code).isSlow)
const quickConditions = conditionCodes.filter((code) => !conditionOf(code).isSlow)

/**
 * The dead man's switches are called each minute while everything works: the watcher, a projector and a process that takes
 * deliveries run, and the database took the writes of this round.
 */
async function callHeartbeats(pool: pg.Pool, now: number): Promise<void> {
  const channels = (await readAlertChannels(pool)).filter(
    ({ kind, enabled }) => kind === 'heartbeat' && enabled,
  )
  if (channels.length === 0 || !(await isWell(pool, now))) return
  const { rows } = await pool.query<{ id: string }>(DUE, [channels.map(({ id }) => id)])
  const due = new Set(rows.map(({ id }) => id))
  await Promise.all(channels.filter(({ id }) => due.has(id)).map((channel) => callHeartbeat(pool, channel)))
}

async function isWell(pool: pg.Pool, now: number): Promise<boolean> {
  const service = await readServiceState(pool)
  if (service === null || unwatchedSince(service, now, 0) !== null) return false
  const { rows } = await pool.query<{ is_well: boolean | null }>(IS_WELL)
  return rows[0]?.is_well ?? false
}

/**
 * The sign of life of the processes that take deliveries is at most so many seconds old. One of the future is from before the
 * clock was set back.
 */
const beatSeconds = 30

const IS_WELL = `
  SELECT ${someShardIsHeld}
    AND EXISTS (
      SELECT FROM heartbeat WHERE name = 'ingest'
        AND at BETWEEN clock_timestamp() - interval '${beatSeconds} s' AND clock_timestamp()
    ) AS is_well`

/** A round comes every 15 s, so a call may be a little early. A call in the future is from before the clock was set back. */
const DUE = `
  SELECT id FROM alert_channel
  WHERE id = ANY($1::uuid[])
    AND (called_at IS NULL OR called_at < clock_timestamp() - interval '50 s' OR called_at > clock_timestamp())`

export interface Alerts {
  /** `stop` resolves after the current round, and after messages under way or 3 s. */
  stop(): Promise<void>
}

/**
 * `startAlerts` reports what this process sees. If it `measures`, it also runs rounds, in which one process measures for all,
 * and sends messages.
 */
export function startAlerts(
  pool: pg.Pool,
  { measures, ...sights }: Sights & { readonly measures: boolean },
  every = everyMs,
): Alerts {
  const rounds = new AlertRounds(pool)
  const sender = measures ? startSendingMessages(pool) : null
  const round = async () => {
    try {
      await writeProcessReport(pool, sights)
      if (sender && (await rounds.run())) sender.request()
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'Alerts were not looked for; the next round does')
    }
  }
  const running = startRounds(round, every)
  const note = noting(log)
  return {
    async stop() {
      await running.stop()
      await sender?.stop()
      await rounds.release().catch(note('warn', 'The lease of alerts was not given back; it expires'))
      await endProcessReport(pool).catch(note('debug', 'The report of this process stays; it expires'))
    },
  }
}

/**
 * `makeMessages` puts the news of each recipient with news that are due into one message. News join a message that still
 * waits and has surely not arrived, so that no recipient reads of an end before its beginning.
 */
async function makeMessages(tx: Transaction): Promise<void> {
  const { rows } = await tx.query<DueRow>(DUE_MESSAGES)
  if (rows.length === 0) return
  const members = await readAlertMembers(tx)
  for (const { channel_id: channelId, member_id: memberId } of rows) {
    const isMail = channelId === emailChannelId
    const address = members.find((member) => member.memberId === memberId)?.address
    // The member left, has no address any more, or wants none of these mails.
    if (isMail && address === undefined) {
      await tx.query(FORGET, [channelId, memberId])
      continue
    }
    const { rows: waiting } = await tx.query<{ id: string; is_free: boolean }>(
      isMail ? WAITING_MAIL : WAITING_MESSAGE,
      isMail ? [address, memberId] : [channelId],
    )
    const [message] = waiting
    // A process sends it right now. The next round knows how that ended.
    if (message && !message.is_free) continue
    const messageId = message?.id ?? (isMail ? uuidv7() : await queueMessage(tx, channelId))
    await tx.query(TAKE, [messageId, channelId, memberId])
    if (message) await tx.query(isMail ? hurryMail : hurryMessage, [messageId, patienceOf.alerts])
    else if (isMail && address !== undefined) await queueMails(tx, 'alerts', [address], [messageId])
  }
}

interface DueRow {
  readonly channel_id: string
  readonly member_id: string | null
}

/** News of the future are due: the clock was set back since. */
const DUE_MESSAGES = `
  SELECT channel_id, member_id FROM alert_news WHERE message_id IS NULL GROUP BY channel_id, member_id
  HAVING bool_or(due_at <= clock_timestamp() OR at > clock_timestamp())`

const FORGET = `
  DELETE FROM alert_news WHERE channel_id = $1 AND member_id IS NOT DISTINCT FROM $2 AND message_id IS NULL`

/** Rows of messages stay locked until the news have joined them, so that no process claims one meanwhile. */
const WAITING_MESSAGE = `
  SELECT id, claimed_until IS NULL AS is_free FROM alert_message
  WHERE channel_id = $1 AND kind = 'alerts' AND state = 'waiting' AND unsure = 0 ORDER BY id DESC LIMIT 1 FOR UPDATE`

/** The address of a member who shares the mail with nobody may have changed since it was queued. */
const WAITING_MAIL = `
  SELECT about[1] AS id, claimed_until IS NULL AS is_free FROM mail
  WHERE (recipient = $1
      OR ARRAY[$2::uuid] = (SELECT array_agg(DISTINCT member_id) FROM alert_news WHERE message_id = about[1]))
    AND kind = 'alerts' AND state = 'waiting' AND unsure = 0 ORDER BY id DESC LIMIT 1 FOR UPDATE`

/** News that wait for the pause go along, and the next pause counts from now. Quiet hours hold the others back. */
const TAKE = `
  UPDATE alert_news SET message_id = $1, due_at = LEAST(due_at, clock_timestamp())
  WHERE channel_id = $2 AND member_id IS NOT DISTINCT FROM $3 AND message_id IS NULL
    AND (due_at <= clock_timestamp() + interval '5 minutes' OR at > clock_timestamp())`

/** New news are worth another try at once, and have as much time as those of a new message. */
const hurry = (table: 'mail' | 'alert_message', which: string) => `
  UPDATE ${table} SET next_at = LEAST(next_at, clock_timestamp()), give_up_at = now() + $2 * interval '1 ms'
  WHERE ${which}`

const hurryMessage = hurry('alert_message', 'id = $1')

const hurryMail = hurry('mail', `kind = 'alerts' AND about @> ARRAY[$1::uuid]`)

/** The mail shows its alerts as they are now; null when none is left, or when the recipient may not get them any more. */
export async function writeAlertMail(
  pool: pg.Pool,
  {
    about,
    recipient,
    createdAt,
  }: { readonly about: readonly string[]; readonly recipient: string; readonly createdAt: Date },
): ReturnType<Writer> {
  const [messageId] = about
  const { rows } = await pool.query<{ member_id: string }>(MEANT, [messageId])
  const meant = rows.map((row) => row.member_id)
  const members = (await readAlertMembers(pool)).map((member) => ({ ...member, id: member.memberId }))
  const present = presentRecipients(recipient, meant, members)
  const [first] = present
  if (messageId === undefined || first === undefined) return null
  const away = meant.filter((id) => present.every((member) => member.id !== id))
  if (away.length > 0) await pool.query(LEAVE_MAIL, [messageId, away])
  const alerts = (await readMessageAlerts(pool, messageId)).filter(({ condition }) =>
    present.some(({ role }) => may(role, conditionOf(condition).needs)),
  )
  if (alerts.length === 0) return null
  const text = { alerts, dashboard: env().publicUrl.href, at: createdAt.toISOString() }
  return { ...mailOfAlerts(text), to: first.address }
}

const MEANT = 'SELECT DISTINCT member_id FROM alert_news WHERE message_id = $1 AND member_id IS NOT NULL'

/** Members shared a mailbox, and these have another one now. */
const LEAVE_MAIL =
  'UPDATE alert_news SET message_id = NULL WHERE message_id = $1 AND member_id = ANY($2::uuid[])'
