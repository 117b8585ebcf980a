import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { emailDigest } from '#lib/identity/users/erased-users.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { acquireLeases, type Lease, newHolder, renewLeases } from '#lib/platform/db/lease.ts'
import { type ErasureMark, userDigest } from '#lib/timeline/projector/erased-people.ts'

/** What an erasure does next: subjects that name the person, the whole log, bodies that outlived it, links to searches, texts of staff. */
export type ErasureStage = 'subjects' | 'log' | 'events' | 'links' | 'texts'

/** An erasure as whoever runs it knows it. */
export interface RunningErasure {
  readonly id: string
  readonly userUuid: string
  readonly mark: ErasureMark
  readonly lease: Lease
  /** As in `PersonValues`. Both grow while the person's bodies are read. */
  readonly values: Set<string>
  readonly exact: Set<string>
  /** What the person was found by in the directory, as `toTerm` writes it: others may share some of it. */
  readonly terms: readonly string[]
}

/** How far an erasure is. */
export interface ErasurePlace {
  readonly stage: ErasureStage
  /** The last delivery, event or link that was looked at. */
  readonly position: string
}

/** Somebody else runs this erasure now. */
export class ErasureTaken extends Error {}

/** A runner writes at least every few seconds: one silent for longer than this, in ms, has died. */
const leaseMs = 60_000

const leaseOf = (id: string) => `erasure:${id}`

/**
 * Marks somebody as erased, or begins again for somebody who was erased before: data may have come back by hand.
 * @returns the id of the mark
 */
export async function insertErasure(
  tx: Transaction,
  userUuid: string,
  { values, exact, terms, email }: GivenValues,
): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(INSERT, [
    uuidv7(),
    userDigest(userUuid),
    email === null ? null : await emailDigest(tx, email, exact.length > 0),
    crypto.randomBytes(16),
    { userUuid, values, exact, terms },
  ])
  return rows[0]?.id ?? ''
}

interface GivenValues {
  readonly values: readonly string[]
  readonly exact: readonly string[]
  readonly terms: readonly string[]
  readonly email: string | null
}

/** Acquires an erasure that has not finished. Null when it has, or when somebody else runs it. */
export async function acquireErasure(
  pool: pg.Pool,
  id: string,
): Promise<{ readonly erasure: RunningErasure; readonly place: ErasurePlace } | null> {
  const [lease] = await acquireLeases(pool, [leaseOf(id)], newHolder(), leaseMs)
  if (!lease) return null
  const { rows } = await pool.query<ErasureRow>(UNFINISHED, [id])
  const [row] = rows
  if (!row) return null
  const { userUuid, values, exact, terms } = WorkingSchema.parse(row.working)
  const { stage, position, salt } = row
  const sets = { values: new Set(values), exact: new Set(exact) }
  const erasure = { id, userUuid, mark: { salt }, lease, ...sets, terms }
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
  // Older erasures have none of these.
  exact: z.array(z.string()).default([]),
  terms: z.array(z.string()).default([]),
})

/** The ids of erasures that have not finished. */
export async function listUnfinished(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM erasure WHERE finished_at IS NULL ORDER BY id',
  )
  return rows.map(({ id }) => id)
}

/** Whether an erasure has gone through everything. */
export async function isFinished(pool: pg.Pool, id: string): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM erasure WHERE id = $1 AND finished_at IS NOT NULL', [id])
  return rows.length > 0
}

/** In the transaction of each step. Throws `ErasureTaken`. */
export async function holdErasure(tx: Transaction, { lease }: RunningErasure): Promise<void> {
  if (!(await renewLeases(tx, [lease], leaseMs))) throw new ErasureTaken('Another process runs this erasure')
}

/** Stores how far an erasure is, in the transaction of the step that brought it there. */
export async function saveErasure(
  tx: Transaction,
  { id, userUuid, values, exact, terms }: RunningErasure,
  { stage, position }: ErasurePlace,
  done: { readonly subjects: number; readonly deliveries: number },
): Promise<void> {
  const working = { userUuid, values: [...values], exact: [...exact], terms }
  await tx.query(SAVE, [id, working, stage, position, done.subjects, done.deliveries])
}

/** Forgets who it was. */
export async function finishErasure(tx: Transaction, { id }: RunningErasure): Promise<ErasureCounts> {
  const { rows } = await tx.query<ErasureCounts>(FINISH, [id])
  return rows[0] ?? { subjects: 0, deliveries: 0 }
}

export interface ErasureCounts {
  readonly subjects: number
  readonly deliveries: number
}

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
