import 'server-only'
import type pg from 'pg'
import { type Rounds, startRounds } from '#lib/platform/db/concurrency.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { acquireLeases, deleteLease, type Lease, renewLeases } from '#lib/platform/db/lease.ts'
import { causeOf, limitedLog, noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { requeueForFold } from '../queue/enqueue.ts'
import { foldLearnt, noteLearnt } from '../queue/fold-again.ts'

const log = logOf('ingest')
const limited = limitedLog(log)

/** `ProcessPresence` renews a lease while this process lives, and finds processes that died without releasing theirs. */
export interface ProcessPresence {
  /** `begin` resolves when the lease is acquired. */
  begin(): Promise<void>
  /** `close` releases the lease at an orderly stop, because every answer so far was sent. */
  close(): Promise<void>
}

export interface PresenceTimes {
  /** The lease is renewed at this interval in milliseconds. */
  readonly signEveryMs: number
  /** A process whose lease was not renewed for this many milliseconds counts as dead. */
  readonly deadAfterMs: number
}

const presenceTimes: PresenceTimes = { signEveryMs: 3_000, deadAfterMs: 10_000 }

/** An answer within this many milliseconds before a process died may not have left it, or the machine. Decision 0113. */
const unsureForMs = 10_000

/** The limit in milliseconds allows for a busy minute with many deliveries. */
const searchTimeoutMs = 60_000

export function openPresence(
  pool: pg.Pool,
  processId: string,
  onFound: () => void,
  { signEveryMs, deadAfterMs } = presenceTimes,
): ProcessPresence {
  const name = `ingest:${processId}`
  /** `otherLeases` has the end of each other process's lease, and since when it has not changed, by our own clock. */
  let otherLeases = new Map<string, { readonly until: Date; readonly since: number }>()
  let lease: Lease | undefined
  let signedAt = Number.NEGATIVE_INFINITY
  let signs: Rounds | undefined

  async function sign() {
    if (!lease || !(await renewLeases(pool, [lease], deadAfterMs)))
      lease = (await acquireLeases(pool, [name], processId, deadAfterMs))[0]
    // After a pause of this process or of the database, other processes could not have renewed either. The observation
    // starts again.
    if (performance.now() - signedAt > 2 * signEveryMs) otherLeases = new Map()
    signedAt = performance.now()
    await findDead()
  }

  async function findDead() {
    const { rows } = await pool.query<{ name: string; expires_at: Date }>(SELECT_OTHERS, [name])
    const now = performance.now()
    otherLeases = new Map(
      rows.map(({ name: other, expires_at: until }) => {
        const known = otherLeases.get(other)
        const stands = known?.until.getTime() === until.getTime()
        return [other, { until, since: stands ? known.since : now }]
      }),
    )
    const dead = [...otherLeases].filter(([, { since }]) => now - since >= deadAfterMs)
    if (dead.length === 0) return
    const values = [
      dead.map(([other]) => other),
      dead.map(([, { until }]) => until),
      deadAfterMs + unsureForMs,
      deadAfterMs,
    ]
    const search = { text: MARK_DEAD_UNSURE, values, query_timeout: searchTimeoutMs }
    const began = Math.min(...dead.map(([, { until }]) => until.getTime())) - deadAfterMs
    const { rowCount } = await inTransaction(pool, async (tx) => {
      await noteLearnt(tx, [{ about: '', began }])
      return tx.query(search)
    })
    if (rowCount) onFound()
    void foldLearnt(pool)
  }

  return {
    async begin() {
      await sign()
      signs ??= startRounds(() => sign().catch(notSigned), signEveryMs)
    },
    async close() {
      await signs?.stop()
      await deleteLease(pool, name).catch(
        noting(log)('debug', 'The sign of life was not taken back; it expires'),
      )
    },
  }
}

const notSigned = (error: unknown) =>
  limited.error(causeOf(error), { err: error }, 'This process could not sign that it lives')

const SELECT_OTHERS = `SELECT name, expires_at FROM lease WHERE name LIKE 'ingest:%' AND name <> $1`

/**
 * The statement records an outage from the last renewal of a dead process to the end of its lease, and marks all deliveries
 * of its last seconds as unsure: the log does not record which process stored a delivery. The time in the ids limits the
 * search, with ten minutes of tolerance for differing clocks.
 */
const MARK_DEAD_UNSURE = `
  WITH dead AS (
    DELETE FROM lease USING unnest($1::text[], $2::timestamptz[]) AS seen (name, expires_at)
    WHERE lease.name = seen.name AND lease.expires_at = seen.expires_at RETURNING lease.expires_at
  ), outages AS (
    INSERT INTO outage (began_at, ended_at, why)
    SELECT expires_at - $4 * interval '1 ms', expires_at, 'process-died' FROM dead
  ), last_seconds AS (
    SELECT expires_at - $3 * interval '1 ms' AS began, expires_at AS ended,
           (lpad(to_hex((extract(epoch FROM expires_at - interval '10 minutes') * 1000)::bigint), 12, '0')
             || '70008000000000000000')::uuid AS first_id
    FROM dead
  ), noted AS (
    INSERT INTO answer_lost (delivery_id, cause)
    SELECT DISTINCT d.id, 'process-died' FROM last_seconds
    JOIN delivery d ON d.id >= first_id AND d.received_at BETWEEN began AND ended
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id AS id
  )
  ${requeueForFold('noted')}`
