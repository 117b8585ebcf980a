import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { foldAgainSince } from '#lib/deliveries/queue/enqueue.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { listenerName } from '#lib/platform/db/listen.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'
import { type EndedByRestore, takeOver } from './notice-restore.ts'
import {
  keepPlace,
  keepRestoreState,
  lockRestoreState,
  type RestoreState,
  readBackupEnd,
} from './restore-state.ts'

/** A person who confirms a restore gets these facts. */
export interface SaidRestore {
  /** The backup has the audit up to this position; 0 for none. */
  readonly kept: number
  /** The gap is the time that was lost, in ms since 1970; null when the backup has no heartbeat or delivery. */
  readonly gap: Span | null
  /** The value is null when a start had already ended these things. */
  readonly ended: EndedByRestore | null
}

/**
 * `sayRestored` confirms before or after the start that this database was restored from a backup. It records the reason
 * and the last entry in the audit, so that the chain verifies again, and notifies all admins.
 */
export async function sayRestored(pool: pg.Pool, reason: string): Promise<SaidRestore> {
  const said = await inTransaction(pool, async (tx) => {
    const state = await lockRestoreState(tx)
    await keepPlace(tx)
    const now = await readClock(tx)
    const unsaid = state?.saidAt === null ? state : null
    const { kept, ended } = unsaid?.takenOverAt
      ? { kept: unsaid, ended: null }
      : await takeOverNow(tx, unsaid, now)
    const gap = waitTime(kept)
    const saidAt = now.toISOString()
    await keepRestoreState(tx, { ...kept, saidAt })
    const facts = {
      kept: kept.kept,
      digest: kept.digest,
      lastSignAt: kept.lastSignAt,
      startedAt: kept.takenOverAt,
    }
    const details = { ...facts, ...ended }
    const entry = {
      actor: commandLine,
      action: 'database.restore',
      outcome: 'done',
      reason,
      details,
    } as const
    await recordAudit(tx, entry, noCallSource)
    await tellAdmins(tx, { kind: 'backup-restored', actor: null, reason })
    return { kept: kept.kept, gap, ended }
  })
  if (said.gap && said.ended) await foldAgainSince(pool, said.gap.began, null)
  return said
}

const waitTime = ({ lastSignAt, takenOverAt }: RestoreState): Span | null =>
  lastSignAt !== null && takenOverAt !== null
    ? { began: Date.parse(lastSignAt), ended: Date.parse(takenOverAt) }
    : null

async function takeOverNow(tx: Transaction, unsaid: RestoreState | null, now: Date) {
  const pause = unsaid ? null : await pauseBeforeStart(tx)
  const found = unsaid ?? (await readBackupEnd(tx, pause ? new Date(pause.began) : undefined))
  const kept = { ...found, takenOverAt: new Date(pause?.ended ?? now).toISOString() }
  if (pause) await takeBackDowntime(tx, pause)
  return { kept, ended: await takeOver(tx, waitTime(kept), new Date(kept.takenOverAt)) }
}

/**
 * A running server beats every 3 s. A pause of at least this many milliseconds is the restore, and shorter ones since
 * are restarts.
 */
const longPauseMs = 30_000

/** The pause lies between the backup's last heartbeat and the start on it; null while nothing runs on it yet. */
async function pauseBeforeStart(tx: Transaction): Promise<Span | null> {
  const { rows } = await tx.query<{ began_at: Date; ended_at: Date }>(PAUSE, [longPauseMs, listenerName])
  return rows[0] ? { began: rows[0].began_at.getTime(), ended: rows[0].ended_at.getTime() } : null
}

/** The first beat recorded the pause as downtime. Downtime outside the pause stays. */
async function takeBackDowntime(tx: Transaction, { began, ended }: Span): Promise<void> {
  const times = [new Date(began), new Date(ended)]
  await tx.query(CUT_DOWNTIME, times)
  await tx.query(REMOVE_DOWNTIME, times)
}

async function readClock(tx: Transaction): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return rows[0]?.now ?? new Date()
}

const PAUSE = `
  SELECT began_at, ended_at FROM outage
  WHERE why = 'no-beat' AND receiver_id IS NULL
    AND EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $2)
  ORDER BY ended_at - began_at >= $1 * interval '1 ms' DESC, ended_at DESC LIMIT 1`

const CUT_DOWNTIME = `
  UPDATE gap SET began_at = CASE WHEN began_at >= $1 THEN $2 ELSE began_at END,
    ended_at = CASE WHEN began_at >= $1 THEN ended_at ELSE $1 END
  WHERE kind = 'down' AND began_at < $2 AND ended_at > $1 AND (began_at < $1 OR ended_at > $2)`

const REMOVE_DOWNTIME = `DELETE FROM gap WHERE kind = 'down' AND began_at >= $1 AND ended_at <= $2`
