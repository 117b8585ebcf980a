import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import type { ChainHead } from '#lib/audit/chain.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { foldAgainSince } from '#lib/deliveries/queue/enqueue.ts'
import { recordOutages } from '#lib/endpoints/gaps/outages.ts'
import { recordEvidence } from '#lib/endpoints/gaps/record-evidence.ts'
import { stopReplays } from '#lib/endpoints/replays/replay-store.ts'
import { withdrawLinksOfAll } from '#lib/identity/links/access-links.ts'
import { endSessionsOfAll } from '#lib/identity/sessions/person-sessions.ts'
import { stopImports } from '#lib/people/import/import-store.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
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
  readRestoreState,
} from './restore-state.ts'

/** The start of a restored database logs this text until a person confirms the restore. */
export const unsaidRestoreWords =
  'This database was restored from a backup, or moved, and nobody has said so. Make sure that no other Rampart works on what it was restored from, then say why: npm run rampart restored REASON (docs/backup.md)'

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
    if (unsaid?.takenOverAt) return { state: unsaid, began: null }
    if (!unsaid && !elsewhere && !(await isBehind(tx, headsSince(heads, state)))) return null
    return takeOverUnsaid(tx, unsaid ?? (await readBackupEnd(tx)))
  })
  if (!noticed) return
  if (noticed.began !== null) await foldAgainSince(pool, noticed.began, null)
  logOf('restore').warn(
    { kept: noticed.state.kept, lastSignAt: noticed.state.lastSignAt },
    unsaidRestoreWords,
  )
}

/** The state is null when the database was not restored, or a person has confirmed the restore. */
export async function readUnsaidRestore(database: pg.Pool): Promise<RestoreState | null> {
  const state = await readRestoreState(database)
  return state?.saidAt === null ? state : null
}

async function takeOverUnsaid(tx: Transaction, kept: RestoreState) {
  const { rows } = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  const now = rows[0]?.now ?? new Date()
  const gap = kept.lastSignAt === null ? null : { began: Date.parse(kept.lastSignAt), ended: now.getTime() }
  const ended = await takeOver(tx, gap, now)
  const state = { ...kept, takenOverAt: now.toISOString() }
  await keepRestoreState(tx, state)
  const details = { kept: kept.kept, lastSignAt: kept.lastSignAt, ...ended }
  await recordAudit(tx, { actor: null, action: 'database.restore', outcome: 'begun', details }, noCallSource)
  await tellAdmins(tx, { kind: 'backup-restored', actor: null })
  return { state, began: gap?.began ?? null }
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
export interface EndedByRestore {
  readonly sessions: number
  readonly links: number
  readonly imports: number
  readonly replays: number
}

/**
 * `takeOver` records the time since the backup as a gap, and ends everything from before `until`: the lost database may
 * have ended or done it. The caller runs `foldAgainSince` after the commit.
 * @param gap null when the backup has no heartbeat or delivery
 */
export async function takeOver(tx: Transaction, gap: Span | null, until: Date): Promise<EndedByRestore> {
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
