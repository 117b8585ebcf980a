import 'server-only'
import type pg from 'pg'
import { openBufferedWriter } from '#lib/platform/db/buffered-writer.ts'
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
  const writer = openBufferedWriter(write, { after: 50, retryAfter: 1_000 })

  async function write() {
    if (notes.size === 0) return true
    const batch = notes
    notes = new Map()
    try {
      await pool.query(INSERT, [[...batch.keys()], [...batch.values()]])
      onWritten()
      return true
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'Lost answers could not be noted; they are again')
      notes = new Map([...batch, ...notes].slice(-maxPending))
      return false
    }
  }

  return {
    add(deliveryId, cause) {
      notes.set(deliveryId, cause)
      writer.request()
    },
    close: writer.close,
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
