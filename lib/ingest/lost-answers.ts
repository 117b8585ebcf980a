import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { logOf } from '#lib/log.ts'
import { putOnceMore } from '#lib/queue/put.ts'

const limited = limitedLog(logOf('ingest'))

/** How an answer of 2xx may have missed its sender, or why its sender was told to send again. */
export type LostHow = 'connection-closed' | 'answered-late'

/** Notes deliveries whose sender may not know that they are safe, and has them folded anew. */
export interface LostAnswers {
  note(deliveryId: string, how: LostHow): void
  close(): Promise<void>
}

/** Notes kept while the database is away; beyond them the oldest are forgotten. */
const most = 10_000

export function openLostAnswers(pool: pg.Pool, onNoted: () => void): LostAnswers {
  let notes = new Map<string, LostHow>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function later() {
    timer ??= setTimeout(() => {
      flushing = flush()
    }, 50)
  }

  async function flush() {
    clearTimeout(timer)
    timer = undefined
    if (notes.size === 0) return
    const batch = notes
    notes = new Map()
    try {
      await pool.query(NOTE, [[...batch.keys()], [...batch.values()]])
      onNoted()
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'Lost answers could not be noted; they are again')
      notes = new Map([...batch, ...notes].slice(-most))
      timer ??= setTimeout(() => {
        flushing = flush()
      }, 1_000)
    }
  }

  return {
    note(deliveryId, how) {
      notes.set(deliveryId, how)
      later()
    },
    async close() {
      await flushing
      await flush()
      clearTimeout(timer)
    },
  }
}

/** What was folded as surely answered becomes pending once more. */
const NOTE = `
  WITH noted AS (
    INSERT INTO answer_lost (delivery_id, how)
    SELECT * FROM unnest($1::uuid[], $2::text[])
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id
  ), kept AS (
    SELECT id FROM noted JOIN delivery ON id = delivery_id
  )
  ${putOnceMore('kept')}`
