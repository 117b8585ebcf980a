import 'server-only'
import { recordEvidence } from '#lib/endpoints/gaps/record-evidence.ts'
import { recordOutages } from '#lib/endpoints/gaps/record-outages.ts'
import { stopReplays } from '#lib/endpoints/replays/replay-store.ts'
import { withdrawLinksOfAll } from '#lib/identity/links/access-links.ts'
import { endSessionsOfAll } from '#lib/identity/sessions/person-sessions.ts'
import { stopImports } from '#lib/people/import/import-store.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { endWaiting } from '#lib/platform/mail/mail-queue.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'

/** How much was ended that a backup had brought back. */
export interface EndedByRestore {
  readonly sessions: number
  readonly links: number
  readonly imports: number
  readonly replays: number
}

/**
 * Makes the time since the backup a gap, and ends what was there before `until`: it may have been ended or done in the database
 * that is gone. Call `foldAgainSince` after the commit.
 * @param gap null when the backup has no sign of life
 */
export async function takeOver(tx: Transaction, gap: Span | null, until: Date): Promise<EndedByRestore> {
  if (gap) {
    await recordEvidence(tx, 'restored', [{ about: '', ...gap, note: null }], gap.ended)
    await recordOutages(tx, [{ receiverId: null, ...gap, why: 'no-beat' }])
    // Else the next beat would call it downtime, in which nothing was taken.
    await tx.query(BEAT, [new Date(gap.ended)])
  }
  await endWaiting(tx, until)
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
