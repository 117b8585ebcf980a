import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { isSandboxReceiver } from '#lib/platform/addresses/public-address.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import type { Key } from '#lib/platform/env.ts'
import { failureMessage, sendChecked } from '#lib/platform/http/send-checked.ts'
import { seal, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { isTimeZone, type QuietHours } from '../rules/quiet-hours.ts'

/** A channel leads to Slack, to Teams, to a program by a signed webhook, or to a dead man's switch. */
export const channelKinds = ['slack', 'teams', 'webhook', 'heartbeat'] as const

export type ChannelKind = (typeof channelKinds)[number]

const parseChannelKind = (text: string): ChannelKind | null =>
  channelKinds.find((kind) => kind === text) ?? null

/** Messages go to this address. The secret signs those of a webhook. */
interface ChannelTarget {
  readonly address: string
  readonly secret: string | null
}

export interface AlertChannel {
  readonly id: string
  readonly kind: ChannelKind
  readonly name: string
  readonly enabled: boolean
  readonly quiet: QuietHours | null
  /** The target is null when the key that sealed it is gone. */
  readonly target: ChannelTarget | null
  /** `seen` differs after each change of the channel. */
  readonly seen: string
}

/** `readAlertChannels` reads all channels. It checks no permission. */
export async function readAlertChannels(database: Pick<pg.Pool, 'query'>): Promise<readonly AlertChannel[]> {
  const { rows } = await database.query<ChannelRow>(`${CHANNELS} ORDER BY name, id`)
  return rows.flatMap((row) => toChannel(row) ?? [])
}

export async function findAlertChannel(
  database: Pick<pg.Pool, 'query'>,
  id: string,
): Promise<AlertChannel | null> {
  const { rows } = await database.query<ChannelRow>(`${CHANNELS} WHERE id = $1`, [id])
  return rows[0] ? toChannel(rows[0]) : null
}

/** `lockChannel` reads a channel for a change. It throws `Refused`. */
export async function lockChannel(tx: Transaction, id: string): Promise<AlertChannel> {
  const { rows } = await tx.query<ChannelRow>(`${CHANNELS} WHERE id = $1 FOR UPDATE`, [id])
  const channel = rows[0] ? toChannel(rows[0]) : null
  if (channel === null) throw new Refused('channel-unknown')
  return channel
}

/** The page shows when a channel was called last, and the line of what was wrong; null for nothing. */
export async function noteCall(pool: pg.Pool, id: string, fault: string | null): Promise<void> {
  await pool.query(NOTE_CALL, [id, fault])
}

/**
 * `moveChannels` seals the targets of channels under another key, and returns how many. Channels that none of these keys
 * opens stay as they are.
 */
export async function moveChannels(database: pg.Pool, keys: readonly Key[], to: Key): Promise<number> {
  const { rows } = await database.query<ChannelRow>(CHANNELS)
  let moved = 0
  for (const { id, sealed, key_id: keyId } of rows) {
    if (keyId === to.id) continue
    const text = unseal({ bytes: new Uint8Array(sealed), keyId }, placeOf(id), keys)
    if (text === null) continue
    const { bytes } = seal(text, placeOf(id), to)
    moved += (await database.query(MOVE, [id, bytes, to.id, keyId])).rowCount ?? 0
  }
  return moved
}

export async function countChannelsByKey(database: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<{ key_id: string; count: number }>(
    'SELECT key_id, count(*)::int AS count FROM alert_channel GROUP BY key_id',
  )
  return new Map(rows.map(({ key_id: keyId, count }) => [keyId, count]))
}

export interface ChannelRow {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly enabled: boolean
  readonly place: string
  readonly sealed: Uint8Array<ArrayBuffer>
  readonly key_id: string
  readonly quiet: unknown
  readonly called_at: Date | null
  readonly answered_at: Date | null
  readonly fault: string | null
}

/** A kind of another version is left out. */
export function toChannel(row: ChannelRow): AlertChannel | null {
  const kind = parseChannelKind(row.kind)
  if (kind === null) return null
  const { id, name, enabled, sealed, key_id: keyId } = row
  const text = unseal({ bytes: new Uint8Array(sealed), keyId }, placeOf(id))
  const target = text === null ? null : TargetSchema.parse(JSON.parse(text))
  const quiet = QuietSchema.nullable().parse(row.quiet)
  return { id, kind, name, enabled, quiet, target, seen: seenOf(row) }
}

const seenOf = ({ name, enabled, sealed, quiet }: ChannelRow) =>
  crypto
    .createHash('sha256')
    .update(JSON.stringify([name, enabled, quiet]))
    .update(sealed)
    .digest('base64url')

const TargetSchema = z.object({ address: z.string(), secret: z.string().nullable() })

export const QuietSchema = z.object({ from: z.number(), until: z.number(), zone: z.string() })

/** A time of the day is written as 07:30. */
const TimeSchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Write a time as 07:30.')
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)))

export const orNone = <S extends z.ZodType>(schema: S) =>
  z.preprocess((text) => (text === '' || text === undefined ? null : text), z.union([z.null(), schema]))

/** Empty times mean no quiet hours. */
export const quietFields = {
  quietFrom: orNone(TimeSchema),
  quietUntil: orNone(TimeSchema),
  zone: orNone(
    z
      .string()
      .max(60, 'At most 60 characters.')
      .refine(isTimeZone, 'This is no time zone. Example: Europe/Berlin'),
  ),
}

/** `quietOf` throws `InvalidInput` when one of the two times is missing. */
export function quietOf({
  quietFrom: from,
  quietUntil: until,
  zone,
}: {
  readonly quietFrom: number | null
  readonly quietUntil: number | null
  readonly zone: string | null
}): QuietHours | null {
  if (from === null && until === null) return null
  if (from === null) throw new InvalidInput({ quietFrom: 'Give both times, or none.' })
  if (until === null) throw new InvalidInput({ quietUntil: 'Give both times, or none.' })
  return { from, until, zone: zone ?? 'UTC' }
}

const placeOf = (id: string) => `alert_channel:${id}`

export const sealTarget = (id: string, target: ChannelTarget) => seal(JSON.stringify(target), placeOf(id))

export const channelColumns =
  'id, kind, name, enabled, place, sealed, key_id, quiet, called_at, answered_at, fault'

const CHANNELS = `SELECT ${channelColumns} FROM alert_channel`

const MOVE = 'UPDATE alert_channel SET sealed = $2, key_id = $3 WHERE id = $1 AND key_id = $4'

const NOTE_CALL = `
  UPDATE alert_channel SET called_at = now(), fault = $2, answered_at = CASE WHEN $2::text IS NULL THEN now() ELSE answered_at END
  WHERE id = $1`

const limited = limitedLog(logOf('alerts'), 600_000)

/** The address must answer within this many milliseconds. */
const timeoutMs = 10_000

/** `callHeartbeat` calls the address of a dead man's switch by GET. The line says what was wrong; null for nothing. */
export async function callHeartbeat(
  pool: pg.Pool,
  { id, target }: Pick<AlertChannel, 'id' | 'target'>,
): Promise<string | null> {
  const fault =
    target === null
      ? 'The key that opens its address is gone: give the address again.'
      : await call(target.address)
  await noteCall(pool, id, fault)
  if (fault !== null) limited.warn(id, { channel: id, fault }, 'A dead man’s switch did not answer')
  return fault
}

async function call(address: string): Promise<string | null> {
  const url = new URL(address)
  const headers = { 'user-agent': 'Rampart' }
  const body = new Uint8Array()
  try {
    const given = { url, method: 'GET', headers, body, loopback: isSandboxReceiver(url), timeoutMs } as const
    const status = await sendChecked(given)
    return status >= 200 && status < 300 ? null : `It answered ${status}.`
  } catch (error) {
    return `${failureMessage(error)}.`
  }
}
