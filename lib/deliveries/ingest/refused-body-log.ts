import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { openBufferedWriter } from '#lib/platform/db/buffered-writer.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { writeAndFoldAgain } from './refusal-counter.ts'

const limited = limitedLog(logOf('ingest'))

/**
 * `RefusedBodyLog` records digests of bodies that were read and then answered 503, so that a later delivery of the same body
 * is recognised as a retry.
 */
export interface RefusedBodyLog {
  add(receiverId: string, body: Uint8Array): void
  close(): Promise<void>
}

interface PendingBody {
  readonly receiverId: string
  readonly digest: Buffer
  /** The time is that of the monotonic clock, in milliseconds. */
  readonly at: number
}

/** At most this many digests wait while the database is unreachable. The oldest ones beyond it are dropped. */
const maxPending = 10_000

export function openRefusedBodyLog(pool: pg.Pool): RefusedBodyLog {
  let notes: PendingBody[] = []
  const writer = openBufferedWriter(write, { after: 500, retryAfter: 2_000 })

  async function write() {
    const batch = notes
    notes = []
    if (batch.length === 0) return true
    const now = performance.now()
    const given = batch.map(({ receiverId, at }) => ({ receiverId, msAgo: now - at }))
    try {
      await writeAndFoldAgain(pool, given, (tx) => insert(tx, batch))
    } catch (error) {
      limited.warn(
        causeOf(error),
        { err: error },
        'Bodies that were refused could not be noted; they are again',
      )
      notes = [...batch, ...notes].slice(-maxPending)
      return false
    }
    return true
  }

  return {
    add(receiverId, body) {
      if (notes.length >= 2 * maxPending) notes = notes.slice(-maxPending)
      notes.push({ receiverId, digest: crypto.hash('sha256', body, 'buffer'), at: performance.now() })
      writer.request()
    },
    close: writer.close,
  }
}

async function insert(tx: Transaction, notes: readonly PendingBody[]) {
  const now = performance.now()
  await tx.query(INSERT, [
    notes.map(({ receiverId }) => receiverId),
    notes.map(({ digest }) => digest),
    notes.map(({ at }) => Math.round(now - at)),
  ])
}

/** The statement uses the database's clock, as deliveries do. */
const INSERT = `
  INSERT INTO refused_body (receiver_id, digest, at)
  SELECT receiver_id, digest, clock_timestamp() - ago * interval '1 ms'
  FROM unnest($1::uuid[], $2::bytea[], $3::float8[]) AS noted (receiver_id, digest, ago)
  ON CONFLICT DO NOTHING`
