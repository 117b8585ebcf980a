import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { may } from '#lib/access/rules/roles.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { env } from '#lib/platform/env.ts'
import { queueMails, type Written } from '#lib/platform/mail/mail-queue.ts'
import { mailboxKey } from '#lib/platform/rules/mail-address.ts'
import { mailOfAlerts } from '../labels/alert-messages.ts'
import { emailChannelId } from '../rules/alert-changes.ts'
import { conditionOf } from '../rules/alert-conditions.ts'
import { readAlertMembers } from './alert-members.ts'
import { readMessageAlerts } from './message-alerts.ts'
import { queueMessage } from './send-messages.ts'

/**
 * `makeMessages` puts the news of each recipient with news that are due into one message. News join a message that still
 * waits and has surely not arrived, so that no recipient reads of an end before its beginning.
 */
export async function makeMessages(tx: Transaction): Promise<void> {
  const { rows } = await tx.query<DueRow>(DUE)
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
      [isMail ? address : channelId],
    )
    const [message] = waiting
    // A process sends it right now. The next round knows how that ended.
    if (message && !message.is_free) continue
    const messageId = message?.id ?? (isMail ? uuidv7() : await queueMessage(tx, channelId))
    await tx.query(TAKE, [messageId, channelId, memberId])
    if (message) await tx.query(isMail ? hurryMail : hurryMessage, [messageId])
    else if (isMail && address !== undefined) await queueMails(tx, 'alerts', [address], [messageId])
  }
}

interface DueRow {
  readonly channel_id: string
  readonly member_id: string | null
}

const DUE = `
  SELECT channel_id, member_id FROM alert_news WHERE message_id IS NULL GROUP BY channel_id, member_id
  HAVING bool_or(due_at <= clock_timestamp())`

const FORGET = `
  DELETE FROM alert_news WHERE channel_id = $1 AND member_id IS NOT DISTINCT FROM $2 AND message_id IS NULL`

/** Rows of messages stay locked until the news have joined them, so that no process claims one meanwhile. */
const WAITING_MESSAGE = `
  SELECT id, claimed_until IS NULL AS is_free FROM alert_message
  WHERE channel_id = $1 AND kind = 'alerts' AND state = 'waiting' AND unsure = 0 ORDER BY id DESC LIMIT 1 FOR UPDATE`

const WAITING_MAIL = `
  SELECT about[1] AS id, claimed_until IS NULL AS is_free FROM mail
  WHERE recipient = $1 AND kind = 'alerts' AND state = 'waiting' AND unsure = 0 ORDER BY id DESC LIMIT 1 FOR UPDATE`

/** News that wait for the pause go along, and the next pause counts from now. Quiet hours hold the others back. */
const TAKE = `
  UPDATE alert_news SET message_id = $1, due_at = LEAST(due_at, clock_timestamp())
  WHERE channel_id = $2 AND member_id IS NOT DISTINCT FROM $3 AND message_id IS NULL
    AND due_at <= clock_timestamp() + interval '5 minutes'`

/** New news are worth another try at once, and have as much time as any. */
const hurry = (table: 'mail' | 'alert_message', which: string) => `
  UPDATE ${table} SET next_at = LEAST(next_at, clock_timestamp()), give_up_at = now() + (give_up_at - created_at)
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
): Promise<Written | null> {
  const [messageId] = about
  const members = await readAlertMembers(pool)
  const member = members.find(({ address }) => mailboxKey(address) === mailboxKey(recipient))
  if (messageId === undefined || member === undefined) return null
  const alerts = (await readMessageAlerts(pool, messageId)).filter(({ condition }) =>
    may(member.role, conditionOf(condition).needs),
  )
  if (alerts.length === 0) return null
  return mailOfAlerts({ alerts, dashboard: env().publicUrl.href, at: createdAt.toISOString() })
}
