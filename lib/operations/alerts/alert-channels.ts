import 'server-only'
import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { maySendTo } from '#lib/platform/addresses/public-address.ts'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { ReasonSchema, uuidField, WebAddressSchema } from '#lib/platform/forms/fields.ts'
import { queueClaimed, tryNow } from '#lib/platform/mail/mail-queue.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { isVisibleName } from '#lib/platform/rules/pasted-text.ts'
import { emailChannelId } from '../rules/alert-changes.ts'
import type { QuietHours } from '../rules/quiet-hours.ts'
import { readAlertMembers } from './alert-members.ts'
import {
  type ChannelKind,
  type ChannelRow,
  callHeartbeat,
  channelColumns,
  channelKinds,
  lockChannel,
  orNone,
  quietFields,
  quietOf,
  sealTarget,
  toChannel,
} from './channel-store.ts'
import { queueTestMessage, tryMessageNow } from './send-messages.ts'

/** The page shows a channel in this form. Times are ISO 8601. */
export interface AlertChannelView {
  readonly id: string
  /** E-mail is a channel that is always there; members choose what they receive. */
  readonly kind: ChannelKind | 'email'
  readonly name: string
  readonly enabled: boolean
  /** Alerts reach somebody this way. E-mail needs a member who wants them and has an address. */
  readonly notifies: boolean
  /** The address is without its secret part; for e-mail it is the sender, or null when no mail server is set. */
  readonly place: string | null
  readonly quiet: QuietHours | null
  /** The last call was made at this time; null for none. */
  readonly calledAt: string | null
  readonly answeredAt: string | null
  /** The line says what was wrong with the last call; null for nothing. */
  readonly fault: string | null
  /** So many messages wait for this channel. */
  readonly waiting: number
  /** False when the key of `RAMPART_KEYS` that sealed its address is gone. */
  readonly isReadable: boolean
  /** The form sends this text back, so that nobody overwrites what they have not seen. */
  readonly seen: string
}

/** `listAlertChannels` lists e-mail first, then the others by name. It throws `NotAllowed`. */
export async function listAlertChannels(caller: Caller): Promise<readonly AlertChannelView[]> {
  requirePermission(caller, 'manage-settings')
  const { rows } = await pool().query<ChannelRow & { waiting: number }>(LIST)
  const isMailSet = env().mail !== null
  const receives = isMailSet && (await readAlertMembers(pool())).length > 0
  const email: AlertChannelView = {
    id: emailChannelId,
    kind: 'email',
    name: 'E-mail',
    enabled: isMailSet,
    notifies: receives,
    place: env().mail?.from.address ?? null,
    quiet: null,
    calledAt: null,
    answeredAt: null,
    fault: !isMailSet
      ? 'No mail server is set (SMTP_URL).'
      : receives
        ? null
        : 'No member gets e-mails: each chose none, or has no address.',
    waiting: 0,
    isReadable: true,
    seen: '',
  }
  return [
    email,
    ...rows.flatMap((row) => {
      const channel = toChannel(row)
      if (channel === null) return []
      const { id, kind, name, enabled, quiet, seen } = channel
      const [calledAt, answeredAt] = [row.called_at?.toISOString(), row.answered_at?.toISOString()]
      const { place, fault, waiting } = row
      const isReadable = channel.target !== null
      const times = { calledAt: calledAt ?? null, answeredAt: answeredAt ?? null }
      const notifies = enabled && isReadable && kind !== 'heartbeat'
      return [{ id, kind, name, enabled, notifies, place, quiet, ...times, fault, waiting, isReadable, seen }]
    }),
  ]
}

const NameSchema = z
  .string('Give the channel a name.')
  .trim()
  .min(1, 'Give the channel a name.')
  .max(60, 'At most 60 characters.')
  .refine(isVisibleName, 'Only letters and signs that can be printed.')

const AddressSchema = WebAddressSchema.refine(
  (text) => maySendTo(new URL(text)),
  'The address must begin with https://.',
)

export const AddAlertChannelSchema = z.object({
  kind: z.enum(channelKinds, 'Choose a kind of channel.'),
  name: NameSchema,
  address: AddressSchema,
  ...quietFields,
  reason: ReasonSchema,
})

/**
 * `addAlertChannel` adds a channel. `secret` is the signing secret of a webhook, which is shown this once. All admins learn
 * of it. It throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`.
 */
export async function addAlertChannel(
  caller: Caller,
  { kind, name, address, reason, ...times }: z.output<typeof AddAlertChannelSchema>,
  source: CallSource,
): Promise<{ readonly id: string; readonly secret: string | null }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  const id = uuidv7()
  const secret = kind === 'webhook' ? newSecret() : null
  const quiet = quietOf(times)
  await inTransaction(pool(), async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.alerts])
    const { rows } = await tx.query<{ count: number }>('SELECT count(*)::int AS count FROM alert_channel')
    if ((rows[0]?.count ?? 0) >= mostChannels) throw new Refused('too-many-channels')
    const { bytes, keyId } = sealTarget(id, { address, secret })
    await tx.query(INSERT, [id, kind, name, maskUrl(address), bytes, keyId, quiet && JSON.stringify(quiet)])
    const entry = { actor: caller, action: 'alert.channel-add', target: id, outcome: 'done', reason } as const
    await recordAudit(tx, { ...entry, details: { kind, place: maskUrl(address) } }, source)
    await tellAdmins(tx, { kind: 'alerts-changed', actor: caller, reason })
  })
  return { id, secret }
}

const mostChannels = 20

export const ChangeAlertChannelSchema = z.object({
  id: uuidField('This is not the id of a channel.'),
  name: NameSchema,
  enabled: z.enum(['true', 'false'], 'Choose one.').transform((text) => text === 'true'),
  /** An empty address keeps the present one. */
  address: orNone(AddressSchema),
  /** A webhook gets another signing secret. */
  newSecret: z.enum(['true', 'false'], 'Choose one.').optional(),
  ...quietFields,
  reason: ReasonSchema,
  seen: z.string().max(100).optional(),
})

/**
 * `changeAlertChannel` changes a channel. `secret` is a new signing secret, which is shown this once; null when it stays.
 * It throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`.
 */
export async function changeAlertChannel(
  caller: Caller,
  {
    id,
    name,
    enabled,
    address,
    newSecret: wantsSecret,
    reason,
    seen,
    ...times
  }: z.output<typeof ChangeAlertChannelSchema>,
  source: CallSource,
): Promise<{ readonly id: string; readonly secret: string | null }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  const quiet = quietOf(times)
  const secret = await inTransaction(pool(), async (tx) => {
    const before = await lockChannel(tx, id)
    if (seen !== undefined && seen !== before.seen) throw new Refused('changed-meanwhile')
    const made = before.kind === 'webhook' && wantsSecret === 'true' ? newSecret() : null
    const kept = before.target
    if (kept === null && address === null) throw new InvalidInput({ address: 'Give the address again.' })
    const target = {
      address: address ?? kept?.address ?? '',
      secret: made ?? kept?.secret ?? (before.kind === 'webhook' ? newSecret() : null),
    }
    const { bytes, keyId } = sealTarget(id, target)
    await tx.query(CHANGE, [
      id,
      name,
      enabled,
      maskUrl(target.address),
      bytes,
      keyId,
      quiet && JSON.stringify(quiet),
    ])
    if (!enabled) await tx.query(TAKE_BACK, [id])
    const entry = {
      actor: caller,
      action: 'alert.channel-change',
      target: id,
      outcome: 'done',
      reason,
    } as const
    const details = {
      enabled,
      place: maskUrl(target.address),
      newAddress: address !== null && address !== kept?.address,
      newSecret: target.secret !== (kept?.secret ?? null),
    }
    await recordAudit(tx, { ...entry, details }, source)
    await tellAdmins(tx, { kind: 'alerts-changed', actor: caller, reason })
    return target.secret === (kept?.secret ?? null) ? null : target.secret
  })
  return { id, secret }
}

export const RemoveAlertChannelSchema = z.object({
  id: uuidField('This is not the id of a channel.'),
  reason: ReasonSchema,
})

/**
 * `removeAlertChannel` removes a channel with its waiting messages, also from rules: one that has no other goes to all channels.
 * It throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function removeAlertChannel(
  caller: Caller,
  { id, reason }: z.output<typeof RemoveAlertChannelSchema>,
  source: CallSource,
): Promise<{ readonly id: string }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    const { kind } = await lockChannel(tx, id)
    await tx.query('DELETE FROM alert_channel WHERE id = $1', [id])
    await tx.query(LEAVE_RULES, [id])
    await tx.query('DELETE FROM alert_news WHERE channel_id = $1 AND message_id IS NULL', [id])
    await tx.query(TAKE_BACK, [id])
    const entry = {
      actor: caller,
      action: 'alert.channel-remove',
      target: id,
      outcome: 'done',
      reason,
    } as const
    await recordAudit(tx, { ...entry, details: { kind } }, source)
    await tellAdmins(tx, { kind: 'alerts-changed', actor: caller, reason })
  })
  return { id }
}

export const TestAlertChannelSchema = z.object({ id: uuidField('This is not the id of a channel.') })

/**
 * `testAlertChannel` sends a test to a channel, or a mail to the caller for e-mail, and returns what came of it. It throws
 * `NotAllowed` and `Refused`.
 */
export async function testAlertChannel(
  caller: Caller,
  { id }: z.output<typeof TestAlertChannelSchema>,
  source: CallSource,
): Promise<SendingResult> {
  requirePermission(caller, 'manage-settings')
  const entry = { actor: caller, action: 'alert.channel-test', target: id, outcome: 'done' } as const
  if (id === emailChannelId) {
    if (env().mail === null) throw new Refused('no-mail-server')
    const to = await findOwnAddress(caller)
    if (to === null) throw new Refused('no-own-address')
    const mail = await inTransaction(pool(), async (tx) => {
      await recordAudit(tx, { ...entry, details: { kind: 'email' } }, source)
      return queueClaimed(tx, { kind: 'test', recipient: to, about: [], written: testMail() })
    })
    return tryNow(pool(), mail)
  }
  const { channel, message } = await inTransaction(pool(), async (tx) => {
    const channel = await lockChannel(tx, id)
    if (channel.target === null) throw new Refused('channel-not-readable')
    await recordAudit(tx, { ...entry, details: { kind: channel.kind } }, source)
    return { channel, message: channel.kind === 'heartbeat' ? null : await queueTestMessage(tx, id) }
  })
  if (message !== null) return tryMessageNow(pool(), message)
  const fault = await callHeartbeat(pool(), channel)
  return fault === null ? { state: 'sent', answer: 'It answered.' } : { state: 'failed', answer: fault }
}

const testMail = () => {
  const { hostname } = env().publicUrl
  return {
    subject: `Test of alerts from Rampart at ${hostname}`,
    text: `An admin of Rampart at ${hostname} sent this to see whether alerts arrive. They do.\n`,
  }
}

async function findOwnAddress({ memberId, email }: Caller): Promise<string | null> {
  const { rows } = await pool().query<{ address: string | null }>(OWN_ADDRESS, [memberId])
  const address = rows[0]?.address ?? email
  return address !== null && isMailbox(address) ? address : null
}

const OWN_ADDRESS = `
  SELECT COALESCE(person.email, member.email, member.sso_email) AS address
  FROM member LEFT JOIN person ON person.user_uuid = member.user_uuid WHERE member.id = $1`

/** The signing secret is one of Standard Webhooks, of 32 random bytes. */
const newSecret = () => `whsec_${crypto.randomBytes(32).toString('base64')}`

const LIST = `
  SELECT ${channelColumns}, (
    SELECT count(*)::int FROM alert_message WHERE channel_id = alert_channel.id AND state = 'waiting'
  ) AS waiting
  FROM alert_channel ORDER BY name, id`

const INSERT = `
  INSERT INTO alert_channel (id, kind, name, place, sealed, key_id, quiet) VALUES ($1, $2, $3, $4, $5, $6, $7)`

const LEAVE_RULES = `
  UPDATE alert_rule SET channels = NULLIF(array_remove(channels, $1::uuid), '{}'), updated_at = clock_timestamp()
  WHERE $1::uuid = ANY(channels)`

/** An alert whose message is taken back and that nobody else was told of is sent to others in the next round. */
const TAKE_BACK = `DELETE FROM alert_message WHERE channel_id = $1 AND state = 'waiting'`

const CHANGE = `
  UPDATE alert_channel SET name = $2, enabled = $3, place = $4, sealed = $5, key_id = $6, quiet = $7 WHERE id = $1`
