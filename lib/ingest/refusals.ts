import 'server-only'
import type pg from 'pg'

/** Why an authenticated or mismatched delivery was discarded. */
export type RefusalReason = 'wrong-secret' | 'too-large' | 'encoded'

/** Counts refused deliveries per receiver and minute, so that an admin sees them; their bodies are not kept. */
export interface Refusals {
  count(receiverId: string, why: RefusalReason): void
  close(): Promise<void>
}

interface Counted {
  readonly receiverId: string
  readonly why: RefusalReason
  /** The minute's beginning, and the last refusal, in ms since 1970. */
  readonly minute: number
  count: number
  lastAt: number
}

/** Counts are written within this many milliseconds, whatever their number. */
const flushAfter = 500

export function openRefusals(pool: pg.Pool): Refusals {
  let counted = new Map<string, Counted>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function add({ receiverId, why, minute, count, lastAt }: Counted) {
    const key = `${receiverId} ${why} ${minute}`
    const earlier = counted.get(key)
    counted.set(key, {
      receiverId,
      why,
      minute,
      count: (earlier?.count ?? 0) + count,
      lastAt: Math.max(earlier?.lastAt ?? 0, lastAt),
    })
    timer ??= setTimeout(() => {
      flushing = flush()
    }, flushAfter)
  }

  async function flush() {
    clearTimeout(timer)
    timer = undefined
    const rows = [...counted.values()]
    counted = new Map()
    if (rows.length === 0) return
    try {
      await write(pool, rows)
    } catch {
      // The database is away: the counts wait for it.
      for (const row of rows) add(row)
    }
  }

  return {
    count(receiverId, why) {
      const now = Date.now()
      add({ receiverId, why, minute: now - (now % 60_000), count: 1, lastAt: now })
    },
    async close() {
      await flushing
      await flush()
      clearTimeout(timer)
    },
  }
}

async function write(pool: pg.Pool, rows: readonly Counted[]) {
  await pool.query(
    `INSERT INTO refusal (receiver_id, minute, why, count, last_at)
     SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::int[], $5::timestamptz[])
     ON CONFLICT (receiver_id, minute, why)
     DO UPDATE SET count = refusal.count + EXCLUDED.count, last_at = GREATEST(refusal.last_at, EXCLUDED.last_at)`,
    [
      rows.map(({ receiverId }) => receiverId),
      rows.map(({ minute }) => new Date(minute)),
      rows.map(({ why }) => why),
      rows.map(({ count }) => count),
      rows.map(({ lastAt }) => new Date(lastAt)),
    ],
  )
}
