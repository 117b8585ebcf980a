import 'server-only'
import type pg from 'pg'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'

/** The process that runs an import knows it in this form. */
export interface RunningImport {
  readonly id: string
  readonly job: Job
}

/** The import still has to take this line. */
export interface OpenLine {
  readonly line: number
  /** `sending`: the service was asked to create this person, and the process that asked has died. */
  readonly state: 'waiting' | 'sending'
  readonly user_uuid: string | null
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly country: string | null
  readonly customer_number: string | null
}

/** Somebody stopped the import, or another process runs it. */
export class ImportEnded extends Error {}

/** A call of the service takes at most 10 s, so a runner that is silent for longer than this, in ms, has died. */
const leaseMs = 30_000

/**
 * The lease allows a process to run an import that is to run. Null when another process has it, or the import is
 * not to run.
 */
export async function acquireImport(pool: pg.Pool, id: string): Promise<RunningImport | null> {
  const { rows } = await pool.query(`SELECT FROM user_import WHERE id = $1 AND state = 'running'`, [id])
  if (rows.length === 0) return null
  const job = new Job(`import:${id}`, leaseMs)
  return (await job.take(pool)) ? { id, job } : null
}

/** The imports with these ids are to run, whether a process runs them or not. */
export async function listRunning(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM user_import WHERE state = 'running'`)
  return rows.map(({ id }) => id)
}

export async function nextLines(pool: pg.Pool, id: string, most: number): Promise<OpenLine[]> {
  const { rows } = await pool.query<OpenLine>(NEXT, [id, most])
  return rows
}

/**
 * This stops imports that are to run: all of them after a restore, or those that no process ran for longer than a
 * restart takes, since they may come from a backup. Returns their number.
 */
export async function stopImports(tx: Transaction, which: 'of a backup' | 'long forgotten'): Promise<number> {
  const { rowCount } = await tx.query(STOP, [perhapsDone, which === 'of a backup' ? null : forgottenMs])
  return rowCount ?? 0
}

const forgottenMs = 15 * 60_000

const perhapsDone =
  'Nobody ran it for a while, or it comes from a backup: lines that are open here may have been taken since. Compare with the provider before it goes on.'

/** Each transaction of a runner calls this before it goes on. Throws `ImportEnded`. */
export async function holdImport(tx: Transaction, run: RunningImport): Promise<void> {
  const { rows } = await tx.query(`SELECT FROM user_import WHERE id = $1 AND state = 'running' FOR UPDATE`, [
    run.id,
  ])
  if (rows.length === 0) throw new ImportEnded('The import was stopped')
  await holdLine(tx, run)
}

/**
 * A transaction that keeps the result of a line calls this: the service may have created the person, so the result counts
 * also after a stop. Throws `ImportEnded`.
 */
export async function holdLine(tx: Transaction, { job }: RunningImport): Promise<void> {
  if (!(await job.hold(tx))) throw new ImportEnded('Another process runs the import')
}

/** The line has its result, and what it said of the person is deleted. */
export async function settleLine(
  tx: Transaction,
  { id }: RunningImport,
  line: number,
  outcome: { readonly userUuid: string } | { readonly error: string; readonly unsure?: boolean },
): Promise<void> {
  const done = 'userUuid' in outcome
  const state = done ? 'done' : outcome.unsure ? 'unsure' : 'failed'
  await tx.query(SETTLE, [id, line, state, done ? outcome.userUuid : null, done ? null : outcome.error])
  await tx.query(COUNT, [id, done ? 1 : 0, done ? 0 : 1])
}

/** The line is marked before the service is asked to create somebody, and again when it surely did not. */
export async function markLine(
  tx: Transaction,
  { id }: RunningImport,
  line: number,
  state: OpenLine['state'],
): Promise<void> {
  await tx.query('UPDATE user_import_row SET state = $3 WHERE import_id = $1 AND line = $2', [
    id,
    line,
    state,
  ])
}

/** The import ends, for now or for good. */
export async function endImport(
  tx: Transaction,
  { id }: RunningImport,
  state: 'done' | 'failing',
  why: string | null = null,
): Promise<void> {
  await tx.query('UPDATE user_import SET state = $2, why = $3, last_progress_at = now() WHERE id = $1', [
    id,
    state,
    why,
  ])
}

const STOP = `
  UPDATE user_import SET state = 'stopped', why = $1
  WHERE state = 'running' AND ($2::float8 IS NULL OR GREATEST(
    last_progress_at, (SELECT expires_at FROM lease WHERE name = 'import:' || user_import.id)
  ) < clock_timestamp() - $2::float8 * interval '1 ms')`

const NEXT = `
  SELECT line, state, user_uuid, email, first_name, last_name, country, customer_number FROM user_import_row
  WHERE import_id = $1 AND state IN ('waiting', 'sending') ORDER BY line LIMIT $2`

const SETTLE = `
  UPDATE user_import_row SET state = $3, user_uuid = COALESCE($4, user_uuid), error = $5,
    email = NULL, first_name = NULL, last_name = NULL, country = NULL, customer_number = NULL
  WHERE import_id = $1 AND line = $2`

const COUNT = `
  UPDATE user_import SET done = done + $2, failed = failed + $3, last_progress_at = now() WHERE id = $1`
