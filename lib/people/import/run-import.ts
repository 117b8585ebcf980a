import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { releaseLeases } from '#lib/platform/db/lease.ts'
import type { ServiceClient } from '#lib/service/client.ts'
import { importLine, type LineOutcome } from './import-line.ts'
import {
  acquireImport,
  endImport,
  holdImport,
  ImportEnded,
  nextLines,
  type RunningImport,
} from './import-store.ts'

/** Milliseconds from one line to the next: what a service bears beside everything else is not shown (§8). ASSUMED. */
const defaultTimes = { pace: 20, second: 1_000 }

/** Lines that are read at once. */
const page = 50

/** Failures of the service one after the other after which a person should look. */
const mostFailures = 5

/**
 * Takes what is left of an import, line by line beside everything else. It ends when nothing is left, when it is stopped or
 * run by somebody else, or when the service fails again and again.
 */
export async function runImport(
  pool: pg.Pool,
  service: ServiceClient,
  id: string,
  times = defaultTimes,
): Promise<void> {
  const run = await acquireImport(pool, id)
  if (!run) return
  try {
    await takeLines(pool, service, run, times)
  } catch (error) {
    if (!(error instanceof ImportEnded)) throw error
  } finally {
    await releaseLeases(pool, [run.lease])
  }
}

async function takeLines(
  pool: pg.Pool,
  service: ServiceClient,
  run: RunningImport,
  { pace, second }: typeof defaultTimes,
): Promise<void> {
  let failures = 0
  for (;;) {
    const lines = await nextLines(pool, run.id, page)
    if (lines.length === 0) return end(pool, run, 'done', null)
    for (const line of lines) {
      const [outcome] = await Promise.all([importLine(pool, service, run, line), sleep(pace)])
      failures = outcome.kind === 'settled' ? 0 : failures + 1
      if (outcome.kind === 'key-refused') return end(pool, run, 'failing', keyRefused)
      if (failures >= mostFailures && !isAsked(outcome)) return end(pool, run, 'failing', serviceFails)
      if (outcome.kind === 'settled') continue
      const asked = outcome.kind === 'later' ? outcome.seconds : null
      await wait(pool, run, (asked ?? Math.min(2 ** failures, 60)) * second)
      // The same line again, or the next where this one is settled.
      break
    }
  }
}

/** The service says itself how long it wants to be left alone, which it may as often as it likes. */
const isAsked = (outcome: LineOutcome) => outcome.kind === 'later' && outcome.seconds !== null

/** Holds on to the import meanwhile. Throws `ImportEnded`. */
async function wait(pool: pg.Pool, run: RunningImport, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 5_000) {
    await sleep(Math.min(left, 5_000))
    await inTransaction(pool, (tx) => holdImport(tx, run))
  }
}

const end = (
  pool: pg.Pool,
  run: RunningImport,
  state: 'done' | 'failing',
  why: string | null,
): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await holdImport(tx, run)
    await endImport(tx, run, state, why)
    const outcome = state === 'done' ? 'done' : 'failed'
    const entry = { actor: commandLine, action: 'user.import', target: run.id, outcome } as const
    await recordAudit(tx, entry, noCallSource)
  })

const keyRefused = 'The service refuses the API key. An admin must give a new one; then go on.'
const serviceFails = 'The service failed again and again. Go on when it answers.'
