import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import type { Key } from '#lib/platform/env.ts'
import { seal, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'

/** A new API key is announced on this channel. */
export const apiKeyChannel = 'service_api_key'

/** The table `setting` keeps the API key under this key. */
const rowKey = 'service-api-key'

/** A form or the command may give such an API key. */
export const ApiKeySchema = z
  .string('Paste the key.')
  .trim()
  .min(1, 'Paste the key.')
  .max(1_000, 'At most 1,000 characters.')
  .regex(/^[\x21-\x7e]+$/, 'Only printable characters without spaces.')

const StoredSchema = z.object({
  sealed: z.string(),
  keyId: z.string(),
  /**
   * This is the fingerprint of `SERVICE_API_KEY` at that time, or `anything` until a process has read the key. When the
   * variable changes, the operator has given a newer key.
   */
  instead: z.string(),
  /** The admin with this id typed the key in, and so knows it; null for the command. */
  givenBy: z.string().nullable().default(null),
  givenAt: z.iso.datetime().nullable().default(null),
})
type Stored = z.output<typeof StoredSchema>

/**
 * The key was given on the page Settings or by the command. Null when there is none, when `SERVICE_API_KEY`
 * (`configured`) changed after it, or when the key of `RAMPART_KEYS` that opens it is gone.
 */
export async function readStoredApiKey(database: pg.Pool, configured: string): Promise<string | null> {
  const stored = await readInForce(database, configured)
  return (
    stored &&
    unseal({ bytes: new Uint8Array(Buffer.from(stored.sealed, 'base64')), keyId: stored.keyId }, rowKey)
  )
}

/** This person typed in the key in force, at this time (ISO 8601); null when it comes from the server. */
export async function findKeyGiver(
  database: pg.Pool,
  configured: string,
): Promise<{ readonly id: string; readonly at: string } | null> {
  const stored = await readInForce(database, configured)
  return stored?.givenBy && stored.givenAt ? { id: stored.givenBy, at: stored.givenAt } : null
}

async function readInForce(database: pg.Pool, configured: string): Promise<Stored | null> {
  const stored = StoredSchema.safeParse(await readSettingRow(database, rowKey)).data
  if (!stored) return null
  const { sealed, instead } = stored
  const own = fingerprint(configured)
  if (instead === anything) {
    await database.query(UPDATE, [rowKey, { instead: own }, { sealed, instead }])
    // Another process may have been first, with another variable.
    return readInForce(database, configured)
  }
  return instead === own && configured !== noApiKey ? stored : null
}

/** An operator gives this word as `SERVICE_API_KEY` to a copy that must not talk to the service: no stored key counts there. */
export const noApiKey = 'none'

export interface NewApiKey {
  readonly apiKey: string
  /** `configured` is null when nobody knows `SERVICE_API_KEY`: then the first process that reads the key says its own. */
  readonly configured: string | null
  /** The admin with this id typed the key in; null for the command. */
  readonly givenBy: string | null
}

export async function storeApiKey(
  client: pg.ClientBase,
  { apiKey, configured, givenBy }: NewApiKey,
  key?: Key,
): Promise<void> {
  const sealed = sealApiKey(apiKey, key)
  const instead = configured === null ? anything : fingerprint(configured)
  const givenAt = new Date().toISOString()
  await keepSettingRow(client, rowKey, { ...sealed, instead, givenBy, givenAt })
  await client.query('SELECT pg_notify($1, $2)', [apiKeyChannel, ''])
}

function sealApiKey(apiKey: string, key?: Key) {
  const { bytes, keyId } = seal(apiKey, rowKey, key)
  return { sealed: Buffer.from(bytes).toString('base64'), keyId }
}

/** This id names the key of `RAMPART_KEYS` that seals the API key given here; null when none was given. */
export async function readKeyOfApiKey(database: pg.Pool): Promise<string | null> {
  return StoredSchema.safeParse(await readSettingRow(database, rowKey)).data?.keyId ?? null
}

/**
 * The API key given here is sealed under another key. Returns false when it already is, or when none of these keys
 * opens it.
 */
export async function moveApiKey(database: pg.Pool, keys: readonly Key[], to: Key): Promise<boolean> {
  const stored = StoredSchema.safeParse(await readSettingRow(database, rowKey)).data
  if (!stored || stored.keyId === to.id) return false
  const { sealed, keyId } = stored
  const apiKey = unseal({ bytes: new Uint8Array(Buffer.from(sealed, 'base64')), keyId }, rowKey, keys)
  if (apiKey === null) return false
  const { rowCount } = await database.query(UPDATE, [rowKey, sealApiKey(apiKey, to), { sealed }])
  return rowCount === 1
}

/** Another key that was given meanwhile stays as it is. */
const UPDATE = `UPDATE setting SET value = value || $2, updated_at = now() WHERE key = $1 AND value @> $3`

const anything = '*'

/** The fingerprint only tells two keys apart; nobody can guess an API key from it. */
export const fingerprint = (apiKey: string): string =>
  crypto.createHash('sha256').update(`rampart api key ${apiKey}`).digest('hex').slice(0, 12)
