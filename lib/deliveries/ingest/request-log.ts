import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { openBufferedWriter } from '#lib/platform/db/buffered-writer.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { requeueForFold } from '../queue/enqueue.ts'
import { mostOfAMinute, type RefusalReason } from '../rules/refusal-reasons.ts'

const limited = limitedLog(logOf('ingest'))

/**
 * `RequestLog` records how single requests were answered, for the page of their endpoint. It keeps the first 60 per
 * receiver, answer and minute, so that a flood cannot fill it. Other tables count all requests.
 */
export interface RequestLog {
  add(request: AnsweredRequest): void
  close(): Promise<void>
}

export interface AnsweredRequest {
  /** The id is that of the delivery; null when none was stored. */
  readonly id: string | null
  readonly receiverId: string
  /** The reason is null when the delivery was stored. */
  readonly why: RefusalReason | null
  /** The time in milliseconds runs from the request's head to the answer. */
  readonly ms: number
}

/** At most this many requests wait in memory. Invented receiver ids may use only the smaller part. */
const maxPending = 5_000
const maxUnknownReceivers = 200

interface Row extends AnsweredRequest {
  readonly id: string
}

export function openRequestLog(pool: pg.Pool, isReceiver: (id: string) => boolean): RequestLog {
  let rows: Row[] = []
  let minute = 0
  let counts = new Map<string, number>()
  let unknown = 0
  const writer = openBufferedWriter(write, { after: 1_000, retryAfter: 5_000 })

  function isTaken({ receiverId, why }: AnsweredRequest): boolean {
    const now = Math.floor(Date.now() / 60_000)
    if (now !== minute) {
      minute = now
      counts = new Map()
      unknown = 0
    }
    const key = why === null ? receiverId : `${receiverId} ${why}`
    const count = counts.get(key) ?? 0
    if (count >= mostOfAMinute || rows.length >= maxPending) return false
    if (why !== null && !isReceiver(receiverId)) {
      if (unknown >= maxUnknownReceivers) return false
      unknown += 1
    }
    counts.set(key, count + 1)
    return true
  }

  async function write() {
    const batch = rows
    rows = []
    if (batch.length === 0) return true
    try {
      await pool.query(INSERT, [
        batch.map(({ id }) => id),
        batch.map(({ receiverId }) => receiverId),
        batch.map(({ why }) => why),
        batch.map(({ ms }) => Math.round(ms)),
      ])
      return true
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'Requests could not be listed; they are again')
      rows = [...batch, ...rows].slice(0, maxPending)
      return false
    }
  }

  return {
    add(request) {
      if (!isTaken(request)) return
      rows.push({ ...request, id: request.id ?? uuidv7() })
      writer.request()
    },
    close: writer.close,
  }
}

/** Only receivers that exist, or that an endpoint at the service points at, are listed. Anybody can invent other ids. */
const INSERT = `
  INSERT INTO answered_request (id, receiver_id, why, ms)
  SELECT given.* FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) AS given (id, receiver_id, why, ms)
  WHERE EXISTS (SELECT FROM receiver WHERE id = given.receiver_id)
    OR EXISTS (SELECT FROM watched_endpoint AS watched WHERE watched.receiver_id = given.receiver_id)
  ON CONFLICT DO NOTHING`

/** A cause says why the sender may not have received our 2xx answer. */
type LostAnswerCause = 'connection-closed' | 'answered-late'

/** `LostAnswers` records deliveries whose sender may not have received the answer, and requeues them for folding. */
export interface LostAnswers {
  add(deliveryId: string, cause: LostAnswerCause): void
  close(): Promise<void>
}

/** At most this many records wait while the database is unreachable. The oldest ones beyond it are dropped. */
const maxLostPending = 10_000

export function openLostAnswers(pool: pg.Pool, onWritten: () => void): LostAnswers {
  let notes = new Map<string, LostAnswerCause>()
  const writer = openBufferedWriter(write, { after: 50, retryAfter: 1_000 })

  async function write() {
    if (notes.size === 0) return true
    const batch = notes
    notes = new Map()
    try {
      await pool.query(INSERT_LOST, [[...batch.keys()], [...batch.values()]])
      onWritten()
      return true
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'Lost answers could not be noted; they are again')
      notes = new Map([...batch, ...notes].slice(-maxLostPending))
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
const INSERT_LOST = `
  WITH noted AS (
    INSERT INTO answer_lost (delivery_id, cause)
    SELECT * FROM unnest($1::uuid[], $2::text[])
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id
  ), kept AS (
    SELECT id FROM noted JOIN delivery ON id = delivery_id
  )
  ${requeueForFold('kept')}`
