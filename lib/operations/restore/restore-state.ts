import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { readHead } from '#lib/audit/heads.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { readPlaceKey } from '#lib/platform/db/which-database.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/setting-rows.ts'

/** The end of what a restored database kept, and when that was noticed and said. Times are ISO 8601. */
export interface RestoreState {
  /** The last position of the audit that the backup has; 0 for none. */
  readonly kept: number
  /** The digest of that link, in hexadecimal. */
  readonly digest: string
  /** The last delivery or sign of life that it has; null for none. */
  readonly lastSignAt: string | null
  /** When a start noticed it, or a person said it; null until then. */
  readonly takenOverAt: string | null
  /** Null until a person has said so. */
  readonly saidAt: string | null
}

/** Null for a database that is no restored one. Others wait until the transaction ends. */
export async function lockRestoreState(tx: Transaction): Promise<RestoreState | null> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.restore])
  return readRestoreState(tx)
}

export const readRestoreState = async (
  database: Parameters<typeof readSettingRow>[0],
): Promise<RestoreState | null> => StateSchema.safeParse(await readSettingRow(database, rowKey)).data ?? null

export const keepRestoreState = (tx: Transaction, state: RestoreState): Promise<void> =>
  keepSettingRow(tx, rowKey, state)

/**
 * The end of what the backup has, whatever was added after the restore.
 * @param lastSignAt its last delivery or sign of life, where another came since
 */
export async function readBackupEnd(tx: Transaction, lastSignAt?: Date): Promise<RestoreState> {
  const { rows } = lastSignAt ? { rows: [{ at: lastSignAt }] } : await tx.query<{ at: Date }>(LAST_SIGN)
  const at = rows[0]?.at ?? null
  const head = await readHead(tx, at === null ? undefined : new Date(at.getTime() + lastSecondsMs))
  return {
    kept: Number(head?.position ?? 0),
    digest: head?.digest.toString('hex') ?? '',
    lastSignAt: at?.toISOString() ?? null,
    takenOverAt: null,
    saidAt: null,
  }
}

/** A process that lives beats every 3 s: in ms, how much later than its last beat an entry of the same time may be. */
const lastSecondsMs = 10_000

/** Keeps where the database lies; true when it was elsewhere. Where that cannot be read, nothing is known of either. */
export async function keepPlace(tx: Transaction): Promise<boolean> {
  const [known, place] = [await readSettingRow(tx, placeKey), await readPlaceKey(tx)]
  if (place === null) return false
  if (known !== place) await keepSettingRow(tx, placeKey, place)
  return known !== undefined && known !== place
}

const placeKey = 'database-place'

const rowKey = 'restore'

const StateSchema = z.object({
  kept: z.number(),
  digest: z.string(),
  lastSignAt: z.iso.datetime().nullable(),
  takenOverAt: z.iso.datetime().nullable(),
  saidAt: z.iso.datetime().nullable(),
})

/** A clock of before may have been ahead. */
const LAST_SIGN = `
  SELECT LEAST(clock_timestamp(), GREATEST(
    (SELECT at FROM heartbeat WHERE name = 'ingest'),
    (SELECT received_at FROM delivery ORDER BY id DESC LIMIT 1))) AS at
  WHERE EXISTS (SELECT FROM heartbeat WHERE name = 'ingest') OR EXISTS (SELECT FROM delivery)`

/** Writes into a copy of the database that it is one, so that a start on it knows. Answers what it keeps. */
export const markAsBackup = (copy: pg.Pool): Promise<RestoreState> =>
  inTransaction(copy, async (tx) => {
    const kept = await readBackupEnd(tx)
    await keepRestoreState(tx, kept)
    return kept
  })
