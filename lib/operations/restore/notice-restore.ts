import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import type { ChainHead } from '#lib/audit/chain.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { foldLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { recordOutages } from '#lib/endpoints/gaps/outages.ts'
import { recordEvidence } from '#lib/endpoints/gaps/record-evidence.ts'
import { stopReplays } from '#lib/endpoints/replays/replay-store.ts'
import { withdrawLinksOfAll } from '#lib/identity/links/access-links.ts'
import { endSessionsOfAll } from '#lib/identity/sessions/person-sessions.ts'
import { stopImports } from '#lib/people/import/import-store.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { listenerName } from '#lib/platform/db/listen.ts'
import { readPlaceKey } from '#lib/platform/db/which-database.ts'
import { logOf } from '#lib/platform/log.ts'
import { mailQueue } from '#lib/platform/mail/mail-queue.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'
import { messageQueue } from '../alerts/send-messages.ts'
import {
  keepPlace,
  keepRestoreState,
  lockRestoreState,
  type RestoreState,
  readBackupEnd,
  unsaidRestoreWords,
} from './restore-state.ts'

/**
 * `noticeRestore` runs before a server takes deliveries. It detects that the database was restored from a backup, stops
 * what would continue by itself, and logs the command to run.
 * @param heads those of the audit in this server's own log
 */
export async function noticeRestore(pool: pg.Pool, heads: readonly ChainHead[]): Promise<void> {
  const noticed = await inTransaction(pool, async (tx) => {
    const state = await lockRestoreState(tx)
    const unsaid = state?.saidAt === null ? state : null
    const elsewhere = await keepPlace(tx)
    if (unsaid?.takenOverAt) return unsaid
    if (!unsaid && !elsewhere && !(await isBehind(tx, headsSince(heads, state)))) return null
    return takeOverUnsaid(tx, unsaid ?? (await readBackupEnd(tx)))
  })
  if (!noticed) return
  void foldLearnt(pool)
  logOf('restore').warn({ kept: noticed.kept, lastSignAt: noticed.lastSignAt }, unsaidRestoreWords)
}

async function takeOverUnsaid(tx: Transaction, kept: RestoreState) {
  const now = new Date(await readClock(tx))
  const gap = kept.lastSignAt === null ? null : { began: Date.parse(kept.lastSignAt), ended: now.getTime() }
  const ended = await takeOver(tx, gap, now)
  const state = { ...kept, takenOverAt: now.toISOString() }
  await keepRestoreState(tx, state)
  const details = { kept: kept.kept, lastSignAt: kept.lastSignAt, ...ended }
  await recordAudit(tx, { actor: null, action: 'database.restore', outcome: 'begun', details }, noCallSource)
  await tellAdmins(tx, { kind: 'backup-restored', actor: null })
  return state
}

/** Heads of the lost database name entries after the backup. Those before the last confirmed restore are ignored. */
const headsSince = (heads: readonly ChainHead[], state: RestoreState | null): readonly ChainHead[] =>
  heads.filter(({ at }) => !state?.saidAt || Date.parse(at) > Date.parse(state.saidAt))

/** `isBehind` is true when the database lacks the link that its own last head names. */
async function isBehind(tx: Transaction, heads: readonly ChainHead[]): Promise<boolean> {
  const place = await readPlaceKey(tx)
  const last = heads.findLast(({ database }) => database !== undefined && database === place)
  if (!last) return false
  const { rows } = await tx.query('SELECT FROM audit_link WHERE position = $1 AND digest = $2', [
    last.position,
    last.digest,
  ])
  return rows.length === 0
}

/** The restore ended so many things that the backup had brought back. */
interface EndedByRestore {
  readonly sessions: number
  readonly links: number
  readonly imports: number
  readonly replays: number
}

/**
 * `takeOver` records the time since the backup as a gap, and ends everything from before `until`: the lost database may
 * have ended or done it. The caller runs `foldLearnt` after the commit.
 * @param gap null when the backup has no heartbeat or delivery
 */
async function takeOver(tx: Transaction, gap: Span | null, until: Date): Promise<EndedByRestore> {
  if (gap) {
    await recordEvidence(tx, 'restored', [{ about: '', ...gap, note: null }], gap.ended)
    await recordOutages(tx, [{ receiverId: null, ...gap, why: 'no-beat' }])
    // Without this beat, the next one would record downtime in which nothing was received.
    await tx.query(BEAT, [new Date(gap.ended)])
  }
  await mailQueue.endWaiting(tx, until)
  await messageQueue.endWaiting(tx, until)
  return {
    sessions: await endSessionsOfAll(tx, until),
    links: await withdrawLinksOfAll(tx, until),
    imports: await stopImports(tx, 'of a backup'),
    replays: await stopReplays(tx),
  }
}

const BEAT = `
  INSERT INTO heartbeat (name, at) VALUES ('ingest', $1)
  ON CONFLICT (name) DO UPDATE SET at = GREATEST(heartbeat.at, EXCLUDED.at)`

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
    const now = new Date(await readClock(tx))
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
  await foldLearnt(pool)
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
