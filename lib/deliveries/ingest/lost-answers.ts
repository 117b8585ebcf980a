import 'server-only'
import type pg from 'pg'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { requeueForFold } from '../queue/enqueue.ts'

const limited = limitedLog(logOf('ingest'))

/** A cause says why the sender may not have received our 2xx answer. */
export type LostAnswerCause = 'connection-closed' | 'answered-late'

/** `LostAnswers` records deliveries whose sender may not have received the answer, and requeues them for folding. */
export interface LostAnswers {
  add(deliveryId: string, cause: LostAnswerCause): void
  close(): Promise<void>
}

/** At most this many records wait while the database is unreachable. The oldest ones beyond it are dropped. */
const maxPending = 10_000

export function openLostAnswers(pool: pg.Pool, onWritten: () => void): LostAnswers {
  let notes = new Map<string, LostAnswerCause>()
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
      await pool.query(INSERT, [[...batch.keys()], [...batch.values()]])
      onWritten()
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'Lost answers could not be noted; they are again')
      notes = new Map([...batch, ...notes].slice(-maxPending))
      timer ??= setTimeout(() => {
        flushing = flush()
      }, 1_000)
    }
  }

  return {
    add(deliveryId, cause) {
      notes.set(deliveryId, cause)
      later()
    },
    async close() {
      await flushing
      await flush()
      clearTimeout(timer)
    },
  }
}

/** A delivery that was folded with a sure answer returns to the queue. */
const INSERT = `
  WITH noted AS (
    INSERT INTO answer_lost (delivery_id, cause)
    SELECT * FROM unnest($1::uuid[], $2::text[])
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id
  ), kept AS (
    SELECT id FROM noted JOIN delivery ON id = delivery_id
  )
  ${requeueForFold('kept')}`
