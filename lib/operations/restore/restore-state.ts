import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { readHead } from '#lib/audit/heads.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { readPlaceKey } from '#lib/platform/db/which-database.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'

/**
 * The state says where a restored database ends, and when the restore was noticed and confirmed. Times are ISO 8601.
 */
export interface RestoreState {
  /** The backup has the audit up to this position; 0 for none. */
  readonly kept: number
  /** The digest is that of the link at this position, in hexadecimal. */
  readonly digest: string
  /** The backup has its last delivery or heartbeat at this time; null for none. */
  readonly lastSignAt: string | null
  /** A start noticed the restore, or a person confirmed it, at this time; null until then. */
  readonly takenOverAt: string | null
  /** The time is null until a person has confirmed the restore. */
  readonly saidAt: string | null
}

/** The state is null for a database that was not restored. Other transactions wait until this one ends. */
export async function lockRestoreState(tx: Transaction): Promise<RestoreState | null> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.restore])
  return readRestoreState(tx)
}

export const readRestoreState = async (
  database: Parameters<typeof readSettingRow>[0],
): Promise<RestoreState | null> => StateSchema.safeParse(await readSettingRow(database, rowKey)).data ?? null

/** The state is null when the database was not restored, or a person has confirmed the restore. */
export async function readUnsaidRestore(database: pg.Pool): Promise<RestoreState | null> {
  const state = await readRestoreState(database)
  return state?.saidAt === null ? state : null
}

/** The start of a restored database logs this text until a person confirms the restore. */
export const unsaidRestoreWords =
  'This database was restored from a backup, or moved, and nobody has said so. Make sure that no other Rampart works on what it was restored from, then say why: npm run rampart restored REASON (docs/backup.md)'

export const keepRestoreState = (tx: Transaction, state: RestoreState): Promise<void> =>
  keepSettingRow(tx, rowKey, state)

/**
 * `readBackupEnd` finds the end of the backup, whatever was added after the restore.
 * @param lastSignAt the backup's last delivery or heartbeat, where a later one exists
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

/**
 * A running process beats every 3 s. An entry of the same time may be this many milliseconds later than the last beat.
 */
const lastSecondsMs = 10_000

/**
 * `keepPlace` stores the database's place. It returns true when the database was elsewhere before, and false when its
 * place cannot be read.
 */
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

/** The clock before the restore may have been ahead. */
const LAST_SIGN = `
  SELECT LEAST(clock_timestamp(), GREATEST(
    (SELECT at FROM heartbeat WHERE name = 'ingest'),
    (SELECT received_at FROM delivery ORDER BY id DESC LIMIT 1))) AS at
  WHERE EXISTS (SELECT FROM heartbeat WHERE name = 'ingest') OR EXISTS (SELECT FROM delivery)`

/**
 * `markAsBackup` writes into a copy of the database that it is a copy, so that a start on it knows. It returns the end
 * of the copy.
 */
export const markAsBackup = (copy: pg.Pool): Promise<RestoreState> =>
  inTransaction(copy, async (tx) => {
    const kept = await readBackupEnd(tx)
    await keepRestoreState(tx, kept)
    return kept
  })

/** The last backup that this database knows of. */
export interface LastBackup {
  /** The time is ISO 8601. */
  readonly madeAt: string
  /** `rampart` made a backup of the embedded database. `script`: the operator's own script did. */
  readonly by: 'rampart' | 'script'
}

/** The result is null when Rampart knows of none. */
export async function readLastBackup(database: Pick<pg.Pool, 'query'>): Promise<LastBackup | null> {
  return LastBackupSchema.safeParse(await readSettingRow(database, backupKey)).data ?? null
}

/** `recordBackup` dates a backup of the future now, by the database's clock: it would not become old otherwise. */
export async function recordBackup(database: Pick<pg.Pool, 'query'>, backup: LastBackup): Promise<void> {
  const madeAt = Math.min(Date.parse(backup.madeAt), await readClock(database))
  await keepSettingRow(database, backupKey, { ...backup, madeAt: new Date(madeAt).toISOString() })
}

/** The setting has this key. */
const backupKey = 'last-backup'

const LastBackupSchema = z.object({ madeAt: z.iso.datetime(), by: z.enum(['rampart', 'script']) })
