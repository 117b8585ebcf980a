import 'server-only'
import type pg from 'pg'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { retryWindowSeconds } from '../rules/retry-schedule.ts'
import { requeueForFold, wakeProjectors } from './enqueue.ts'

const limited = limitedLog(logOf('queue'))

/** Folds since `began` (ms since 1970) did not know something of a receiver, or of all (an empty `about`). */
export interface Learnt {
  readonly about: string
  readonly began: number
}

/** The transaction that changes evidence notes whom it concerns, so that neither a crash nor a full database loses that. */
export async function noteLearnt(tx: Transaction, learnt: readonly Learnt[]): Promise<void> {
  if (learnt.length > 0) await tx.query(NOTE, [JSON.stringify(learnt)])
}

const latest = new WeakMap<pg.Pool, Promise<void>>()

/**
 * After the commit, what is noted is folded again, once at a time in this process. It stays noted when that fails, and each
 * round of the watcher repeats it. It may take a minute, for which nothing waits that has to keep time. It never throws.
 */
export function foldLearnt(pool: pg.Pool): Promise<void> {
  const folded = (latest.get(pool) ?? Promise.resolve())
    .then(() => foldNoted(pool))
    .catch((error: unknown) =>
      limited.warn(
        causeOf(error),
        { err: error },
        'What new evidence concerns is not folded again yet; the next round of the watcher repeats that',
      ),
    )
  latest.set(pool, folded)
  return folded
}

async function foldNoted(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ key: string; value: Learnt[] }>(NOTED)
  const learnt = rows.flatMap(({ value }) => value)
  const sinceOf = (some: typeof learnt) => Math.min(...some.map(({ began }) => began))
  const since = sinceOf(learnt.filter(({ about }) => about === ''))
  if (Number.isFinite(since)) await foldAgainSince(pool, since, null)
  const others = learnt.filter(({ about, began }) => about !== '' && began < since)
  const receiverIds = [...new Set(others.map(({ about }) => about))]
  if (receiverIds.length > 0) await foldAgainSince(pool, sinceOf(others), receiverIds)
  if (rows.length > 0) await pool.query(FORGET, [rows.map(({ key }) => key)])
}

/** Each note is a row of its own: transactions that note something at once wait for nobody. */
const NOTE = `INSERT INTO setting (key, value) VALUES ('fold-again:' || gen_random_uuid(), $1)`

const NOTED = `SELECT key, value FROM setting WHERE key LIKE 'fold-again:%'`

const FORGET = 'DELETE FROM setting WHERE key = ANY($1::text[])'

/**
 * `foldAgainSince` folds deliveries received since `since` (ms since 1970) again with the present evidence: of these
 * receivers, or of all (null). It runs after the commit of the evidence, since a running fold may have missed it. Deliveries
 * from before the retry window (§6.8) keep the evidence that they have, so they are left alone.
 */
export async function foldAgainSince(
  pool: pg.Pool,
  since: number,
  receiverIds: readonly string[] | null,
): Promise<void> {
  const now = Date.now()
  const from = Math.max(since, now - retryWindowSeconds * 1_000)
  let isAny = false
  // A busy day is too long for one statement.
  for (let at = from - clockToleranceMs; at < now; at += sliceMs) {
    const end = at + sliceMs < now ? firstUuidv7(at + sliceMs) : highestId
    const values = [firstUuidv7(at), end, new Date(from), receiverIds]
    const search = { text: FOLD_AGAIN, values, query_timeout: searchTimeoutMs }
    const { rowCount } = await pool.query(search)
    isAny ||= Boolean(rowCount)
  }
  if (isAny) await wakeProjectors(pool)
}

const sliceMs = 3_600_000

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * A delivery's id uses the clock of the process, and its time that of the database. The two may differ by this many
 * milliseconds.
 */
const clockToleranceMs = 60_000

/** The limit in milliseconds allows for a busy hour with many deliveries. */
const searchTimeoutMs = 60_000

const FOLD_AGAIN = `
  WITH received AS (
    SELECT id FROM delivery
    WHERE id >= $1 AND id <= $2 AND received_at >= $3 AND ($4::uuid[] IS NULL OR receiver_id = ANY($4))
  )
  ${requeueForFold('received')}`
