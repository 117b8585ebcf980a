import 'server-only'
import type pg from 'pg'
import { type RetentionRule, retentionRules } from '#lib/deliveries/retention-rules.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { logOf } from '#lib/platform/log.ts'

const log = logOf('retention')

/** One transaction deletes at most this many rows, and `pause` is the milliseconds after it. */
const rowsOfStep = 500
const pause = 20

/** A round takes `round` milliseconds, and the next sweep begins `every` milliseconds after a finished one. */
const defaultTimes = { round: 2_000, every: 3_600_000 }

/** `RetentionSweeper` deletes expired rows, a little in each call. */
export interface RetentionSweeper {
  /**
   * `sweep` works for about two seconds, and does nothing for an hour after everything was swept. It throws no error of
   * the database.
   */
  sweep(): Promise<void>
}

export function openRetentionSweeper(
  pool: pg.Pool,
  times = defaultTimes,
  list: readonly RetentionRule[] = retentionRules,
): RetentionSweeper {
  let left: readonly RetentionRule[] = []
  let dueAt = Number.NEGATIVE_INFINITY

  /** `pass` takes one step for each rule, so that a large table does not delay the others. */
  async function pass(until: number) {
    const unfinished: RetentionRule[] = []
    for (const [index, one] of left.entries()) {
      if (performance.now() > until) return [...left.slice(index), ...unfinished]
      const deleted = await deleteSome(pool, one)
      if (deleted === rowsOfStep) unfinished.push(one)
      if (deleted > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    }
    return unfinished
  }

  return {
    async sweep() {
      const now = performance.now()
      if (left.length === 0 && now < dueAt) return
      if (left.length === 0) left = list
      while (left.length > 0 && performance.now() < now + times.round) left = await pass(now + times.round)
      if (left.length === 0) dueAt = performance.now() + times.every
    },
  }
}

/**
 * `deleteSome` deletes some rows and returns their number. It leaves locked rows for later, and all rows while the
 * database is busy.
 */
async function deleteSome(pool: pg.Pool, rule: RetentionRule): Promise<number> {
  const { what, table, days, condition, deleteBy, keep } = rule
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL statement_timeout = '1s'; SET LOCAL lock_timeout = '100ms'`)
      if (deleteBy) {
        const { rows } = await client.query<{ gone: number }>(`SELECT ${deleteBy}($1) AS gone`, [rowsOfStep])
        return rows[0]?.gone ?? 0
      }
      const { rows } = await client.query<{ before: Date }>(BEFORE, [days])
      const deletion = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsOfStep} FOR UPDATE SKIP LOCKED))`
      const { rowCount } = await client.query(
        keep ? `WITH gone AS (${deletion} RETURNING *), kept AS (${keep}) SELECT FROM gone` : deletion,
        [rows[0]?.before],
      )
      return rowCount ?? 0
    })
  } catch (error) {
    log.warn({ what, err: error }, 'Old rows were not deleted; the next round tries again')
    return 0
  }
}

const BEFORE = `SELECT clock_timestamp() - $1 * interval '1 day' AS before`
