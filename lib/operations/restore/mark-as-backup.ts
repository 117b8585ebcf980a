import 'server-only'
import type pg from 'pg'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { keepRestoreState, type RestoreState, readBackupEnd } from './restore-state.ts'

/** Writes into a copy of the database that it is one, so that a start on it knows. Answers what it keeps. */
export const markAsBackup = (copy: pg.Pool): Promise<RestoreState> =>
  inTransaction(copy, async (tx) => {
    const kept = await readBackupEnd(tx)
    await keepRestoreState(tx, kept)
    return kept
  })
