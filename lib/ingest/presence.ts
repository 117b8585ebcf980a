import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'

/** Says that this process lives, and finds those that died without a word. */
export interface Presence {
  /** Resolves when the first sign of life is written. */
  begin(): Promise<void>
  /** An orderly end: everything answered so far surely left. */
  close(): Promise<void>
}

/** Milliseconds between signs of life, and after which a process counts as dead. */
const every = 3_000
const deadAfter = 10_000

/** Answers of a process that died within this many milliseconds may not have left it, or the machine. Decision 0017. */
const unsureFor = 10_000

/** Milliseconds: a busy minute holds many deliveries. */
const searchLimit = 60_000

export function openPresence(pool: pg.Pool, onFound: () => void): Presence {
  const id = crypto.randomUUID()
  let timer: NodeJS.Timeout | undefined

  async function sign() {
    await pool.query(SIGN, [`ingest:${id}`, id, deadAfter])
    const search = { text: NOTE_DEAD, values: [deadAfter + unsureFor], query_timeout: searchLimit }
    const { rowCount } = await pool.query(search)
    if (rowCount) onFound()
  }

  return {
    async begin() {
      await sign()
      timer ??= setInterval(() => void sign().catch(() => undefined), every)
      timer.unref()
    },
    async close() {
      clearInterval(timer)
      await pool.query('DELETE FROM lease WHERE name = $1', [`ingest:${id}`]).catch(() => undefined)
    },
  }
}

const SIGN = `
  INSERT INTO lease (name, holder, epoch, expires_at)
  VALUES ($1, $2, 0, clock_timestamp() + $3 * interval '1 ms')
  ON CONFLICT (name) DO UPDATE SET expires_at = EXCLUDED.expires_at`

/**
 * What any process stored in a dead one's last seconds is unsure: the log does not say who took what. The ids, which
 * begin with their process's time, bound the search; ten minutes are left for clocks that differ.
 */
const NOTE_DEAD = `
  WITH dead AS (
    DELETE FROM lease WHERE name LIKE 'ingest:%' AND expires_at < clock_timestamp() RETURNING expires_at
  ), last_seconds AS (
    SELECT expires_at - $1 * interval '1 ms' AS began, expires_at AS ended,
           (lpad(to_hex((extract(epoch FROM expires_at - interval '10 minutes') * 1000)::bigint), 12, '0')
             || '70008000000000000000')::uuid AS first_id
    FROM dead
  ), noted AS (
    INSERT INTO answer_lost (delivery_id, how)
    SELECT DISTINCT d.id, 'process-died' FROM last_seconds
    JOIN delivery d ON d.id >= first_id AND d.received_at BETWEEN began AND ended
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id
  )
  INSERT INTO delivery_pending (delivery_id) SELECT delivery_id FROM noted ORDER BY delivery_id
  ON CONFLICT (delivery_id) DO UPDATE SET delivery_id = EXCLUDED.delivery_id`
