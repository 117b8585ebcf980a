import 'server-only'
import fs from 'node:fs/promises'
import type pg from 'pg'
import { z } from 'zod'
import { newHolder } from '#lib/platform/db/lease.ts'
import { env } from '#lib/platform/env.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

const note = noting(logOf('alerts'))

/** A server reports what only it can see. Numbers are null while they are unknown. */
export interface ProcessFacts {
  /** The live process of this server has been silent for so many seconds. */
  readonly liveSilentSeconds: number | null
  /** The disk with the data directory is so full. */
  readonly diskPercent: number | null
  /** The clocks of the service and the database are ahead of ours by so many seconds; negative for behind. */
  readonly serviceClockSeconds: number | null
  readonly databaseClockSeconds: number | null
}

const FactsSchema = z.object({
  liveSilentSeconds: z.number().nullable().catch(null),
  diskPercent: z.number().nullable().catch(null),
  serviceClockSeconds: z.number().nullable().catch(null),
  databaseClockSeconds: z.number().nullable().catch(null),
})

/** The functions know what this server sees. */
export interface Sights {
  readonly dataDir: string
  readonly liveSilentMs: () => number | null
  /** The service's clock is ahead by this, as seen within the last `withinMs`; null when it was not seen. */
  readonly serviceClockMs: (withinMs: number) => number | null
}

/** The watcher calls the service each minute. What was seen so many milliseconds ago says nothing of now: a clock may be set. */
const clockFreshMs = 180_000

/**
 * A report says what is so now for this many milliseconds. A server that was killed stops to report. A report of the future is
 * from before the clock was set back.
 */
const validMs = 60_000

/** For this many milliseconds nobody knows what became of a server that stopped to report. */
const missedMs = 3_600_000

/** The process reports under this name until it ends. */
const process = newHolder()

export async function writeProcessReport(pool: pg.Pool, sights: Sights): Promise<void> {
  const live = sights.liveSilentMs()
  const service = sights.serviceClockMs(clockFreshMs)
  const facts: ProcessFacts = {
    liveSilentSeconds: live === null ? null : live / 1_000,
    diskPercent: await diskPercent(sights.dataDir).catch(unknownDisk),
    serviceClockSeconds: service === null ? null : service / 1_000,
    databaseClockSeconds: await databaseClockSeconds(pool),
  }
  await pool.query(WRITE, [process, env().machine, JSON.stringify(facts)])
}

/**
 * `endProcessReport` ends the reports of this process at an orderly stop. What it saw is unknown from then on, as after a kill:
 * a full disk is no emptier because its server stopped.
 */
export async function endProcessReport(pool: pg.Pool): Promise<void> {
  await pool.query(END, [process, validMs])
}

export interface ProcessReport {
  readonly host: string
  /** The facts are null when the server ended, or stopped to report, within the last hour. */
  readonly facts: ProcessFacts | null
  /** The server stopped in order. */
  readonly hasEnded: boolean
}

/** The reports of the servers that run now, and of those that ended in the last hour. */
export async function readProcessReports(pool: pg.Pool): Promise<readonly ProcessReport[]> {
  const { rows } = await pool.query<ReportRow>(READ, [validMs, missedMs])
  return rows.map(({ host, facts, is_valid: isValid, has_ended: hasEnded }) => ({
    host,
    facts: isValid ? FactsSchema.parse(facts) : null,
    hasEnded,
  }))
}

interface ReportRow {
  readonly host: string
  readonly facts: unknown
  readonly is_valid: boolean
  readonly has_ended: boolean
}

/** The share is what `df` says: what ordinary users can still write counts as free. */
async function diskPercent(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await fs.statfs(folder)
  const used = blocks - bfree
  return used + bavail === 0 ? 0 : (100 * used) / (used + bavail)
}

function unknownDisk(error: unknown): null {
  note('debug', 'The disk of the data directory was not measured')(error)
  return null
}

/** The database read its clock in the middle of the call, as far as anybody knows. */
async function databaseClockSeconds(pool: pg.Pool): Promise<number | null> {
  const asked = Date.now()
  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  const answered = Date.now()
  const now = rows[0]?.now.getTime()
  // After a slow call, nobody knows the difference.
  if (now === undefined || answered - asked > 5_000) return null
  return (now - (asked + answered) / 2) / 1_000
}

const WRITE = `
  INSERT INTO process_report (process, at, host, facts) VALUES ($1, clock_timestamp(), $2, $3)
  ON CONFLICT (process) DO UPDATE SET at = EXCLUDED.at, host = EXCLUDED.host, facts = EXCLUDED.facts`

const END = `
  UPDATE process_report SET at = LEAST(at, clock_timestamp() - ($2 + 1) * interval '1 ms'), facts = facts || '{"hasEnded": true}'
  WHERE process = $1`

const READ = `
  SELECT host, facts, at BETWEEN clock_timestamp() - $1 * interval '1 ms' AND clock_timestamp() AS is_valid,
         facts ? 'hasEnded' AS has_ended
  FROM process_report
  WHERE at > clock_timestamp() - $2 * interval '1 ms' ORDER BY host, process`
