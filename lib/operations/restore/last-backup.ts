import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'

/** The last backup that this database knows of. */
export interface LastBackup {
  /** The time is ISO 8601. */
  readonly madeAt: string
  /** `rampart` made a backup of the embedded database. `script`: the operator's own script did. */
  readonly by: 'rampart' | 'script'
}

/** The result is null when Rampart knows of none. */
export async function readLastBackup(database: Pick<pg.Pool, 'query'>): Promise<LastBackup | null> {
  return LastBackupSchema.safeParse(await readSettingRow(database, rowKey)).data ?? null
}

export const recordBackup = (database: Pick<pg.Pool, 'query'>, backup: LastBackup): Promise<void> =>
  keepSettingRow(database, rowKey, backup)

/** The setting has this key. */
const rowKey = 'last-backup'

const LastBackupSchema = z.object({ madeAt: z.iso.datetime(), by: z.enum(['rampart', 'script']) })
