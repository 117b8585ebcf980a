import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { emailDigest } from '#lib/identity/users/person-texts.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type ErasureMark, pseudonymOf, userDigest } from '#lib/timeline/projector/erased-people.ts'

/**
 * An erasure has these stages: subjects that name the person, the whole log, bodies that outlived the log, search
 * links, texts of staff.
 */
type ErasureStage = 'subjects' | 'log' | 'events' | 'links' | 'texts'

/** The process that runs an erasure knows it in this form. */
export interface RunningErasure {
  readonly id: string
  readonly userUuid: string
  readonly mark: ErasureMark
  readonly job: Job
  /** `values` and `exact` are those of `PersonValues`. Both grow while the person's bodies are read. */
  readonly values: Set<string>
  readonly exact: Set<string>
  /** The directory found the person by these terms, as `toTerm` writes them; others may share some of them. */
  readonly terms: readonly string[]
}

/** The erasure has come this far. */
export interface ErasurePlace {
  readonly stage: ErasureStage
  /** `position` is the last delivery, event or link that was read. */
  readonly position: string
}

/** Another process runs this erasure now. */
class ErasureTaken extends Error {}

/** A runner writes at least every few seconds. One that is silent for longer than this, in ms, has died. */
const leaseMs = 60_000

/**
 * This marks a person as erased, or begins again for a person who was erased before, since data may have come back
 * by hand. An unfinished erasure alone still knows who the person was, so its values join the given ones, which come first.
 * Returns the id of the mark and all values.
 */
export async function insertErasure(
  tx: Transaction,
  userUuid: string,
  { email, ...given }: GivenValues,
): Promise<KnownValues & { readonly id: string }> {
  const digest = userDigest(userUuid)
  const { rows: unfinished } = await tx.query<{ working: unknown }>(HOLD_UNFINISHED, [digest])
  const before = unfinished.map(({ working }) => WorkingSchema.parse(working))
  const united = (list: keyof KnownValues) => [
    ...new Set([...given[list], ...before.flatMap((one) => one[list])]),
  ]
  const known = { values: united('values'), exact: united('exact'), terms: united('terms') }
  const { rows } = await tx.query<{ id: string }>(INSERT, [
    uuidv7(),
    digest,
    email === null ? null : await emailDigest(tx, email, given.exact.length > 0),
    crypto.randomBytes(16),
    { userUuid, ...known },
  ])
  return { id: rows[0]?.id ?? '', ...known }
}

interface KnownValues {
  readonly values: readonly string[]
  readonly exact: readonly string[]
  readonly terms: readonly string[]
}

interface GivenValues extends KnownValues {
  readonly email: string | null
}

/** The result is an erasure that has not finished; null when it has, or when another process runs it. */
export async function acquireErasure(
  pool: pg.Pool,
  id: string,
): Promise<{ readonly erasure: RunningErasure; readonly place: ErasurePlace } | null> {
  const job = new Job(`erasure:${id}`, leaseMs)
  if (!(await job.take(pool))) return null
  const { rows } = await pool.query<ErasureRow>(UNFINISHED, [id])
  const [row] = rows
  if (!row) return null
  const { userUuid, values, exact, terms } = WorkingSchema.parse(row.working)
  const { stage, position, salt } = row
  const sets = { values: new Set(values), exact: new Set(exact) }
  const erasure = { id, userUuid, mark: { salt }, job, ...sets, terms }
  return { erasure, place: { stage, position } }
}

interface ErasureRow {
  readonly working: unknown
  readonly stage: ErasureStage
  readonly position: string
  readonly salt: Buffer
}

const WorkingSchema = z.object({
  userUuid: z.string(),
  values: z.array(z.string()),
  // Older erasures have neither of these fields.
  exact: z.array(z.string()).default([]),
  terms: z.array(z.string()).default([]),
})

/** The erasures with these ids have not finished. */
export async function listUnfinished(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM erasure WHERE finished_at IS NULL ORDER BY id',
  )
  return rows.map(({ id }) => id)
}

/** The erasure has gone through everything. */
export async function isFinished(pool: pg.Pool, id: string): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM erasure WHERE id = $1 AND finished_at IS NOT NULL', [id])
  return rows.length > 0
}

/** Each step calls this in its transaction. Throws `ErasureTaken`. */
export async function holdErasure(tx: Transaction, { job }: RunningErasure): Promise<void> {
  if (!(await job.hold(tx))) throw new ErasureTaken('Another process runs this erasure')
}

/** The position is stored in the transaction of the step that reached it. */
export async function saveErasure(
  tx: Transaction,
  { id, userUuid, values, exact, terms }: RunningErasure,
  { stage, position }: ErasurePlace,
  done: { readonly subjects: number; readonly deliveries: number },
): Promise<void> {
  const working = { userUuid, values: [...values], exact: [...exact], terms }
  await tx.query(SAVE, [id, working, stage, position, done.subjects, done.deliveries])
}

/** Everything that says who the person was is deleted; the mark stays. */
export async function finishErasure(tx: Transaction, { id }: RunningErasure): Promise<ErasureCounts> {
  const { rows } = await tx.query<ErasureCounts>(FINISH, [id])
  return rows[0] ?? { subjects: 0, deliveries: 0 }
}

export interface ErasureCounts {
  readonly subjects: number
  readonly deliveries: number
}

/** A step of the erasure may be adding values now: this waits for its end. */
const HOLD_UNFINISHED =
  'SELECT working FROM erasure WHERE user_digest = $1 AND finished_at IS NULL FOR UPDATE'

const INSERT = `
  INSERT INTO erasure AS known (id, user_digest, email_digest, salt, working, stage) VALUES ($1, $2, $3, $4, $5, 'subjects')
  ON CONFLICT (user_digest) DO UPDATE SET
    working = EXCLUDED.working, stage = EXCLUDED.stage, position = '', finished_at = NULL,
    email_digest = COALESCE(EXCLUDED.email_digest, known.email_digest)
  RETURNING id`

const UNFINISHED = 'SELECT working, stage, position, salt FROM erasure WHERE id = $1 AND finished_at IS NULL'

const SAVE = `
  UPDATE erasure SET working = $2, stage = $3, position = $4, subjects = subjects + $5, deliveries = deliveries + $6
  WHERE id = $1`

const FINISH = `
  UPDATE erasure SET working = NULL, position = '', finished_at = clock_timestamp() WHERE id = $1
  RETURNING subjects, deliveries`

/** Somebody with this uuid was erased. Times are ISO 8601. */
export interface ErasureView {
  readonly id: string
  readonly isCompany: boolean
  readonly beganAt: string
  /** The end is null while the erasure goes on. */
  readonly finishedAt: string | null
  readonly subjects: number
  readonly deliveries: number
}

/** The mark belongs to a person who was erased; null for anybody else. Throws `NotAllowed`. */
export async function findErasure(caller: Caller, userUuid: string): Promise<ErasureView | null> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<ErasureMarkRow>(ERASURE, [userDigest(userUuid)])
  const [row] = rows
  if (!row) return null
  const { id, began_at, finished_at, subjects, deliveries } = row
  const isCompany = await isOfCompany(userUuid, row)
  const finishedAt = finished_at?.toISOString() ?? null
  return { id, isCompany, beganAt: began_at.toISOString(), finishedAt, subjects, deliveries }
}

/**
 * The remaining data decides: people who belong to the uuid, and events about a company. An erased company has a
 * pseudonym.
 */
async function isOfCompany(userUuid: string, mark: ErasureMark): Promise<boolean> {
  const subjects = [userUuid, pseudonymOf(mark, userUuid)].map((id) => subjectId({ kind: 'entity', id }))
  const { rows } = await pool().query<{ company: boolean }>(COMPANY, [userUuid, subjects, companyTypes])
  return rows[0]?.company ?? false
}

interface ErasureMarkRow extends ErasureMark {
  readonly id: string
  readonly began_at: Date
  readonly finished_at: Date | null
  readonly subjects: number
  readonly deliveries: number
}

const ERASURE =
  'SELECT id, salt, began_at, finished_at, subjects, deliveries FROM erasure WHERE user_digest = $1'

const COMPANY = `
  SELECT EXISTS (SELECT 1 FROM person WHERE linked_corporates @> ARRAY[$1::uuid])
    OR EXISTS (SELECT 1 FROM standing WHERE subject_id = ANY($2) AND type = ANY($3)) AS company`
