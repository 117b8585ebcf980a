import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'

/**
 * Takes the shards away from every projector until the transaction ends: what they are writing ends first, and what they
 * have read before they read again. They acquire their shards anew at once.
 */
export async function stopWrites(tx: Transaction): Promise<void> {
  await tx.query(FENCE)
}

/**
 * Until the transaction ends no projector writes and nobody else stops them, which an erasure does. What projectors have read
 * stays good: for whoever changes nothing that a fold reads.
 */
export async function shareWrites(tx: Transaction): Promise<void> {
  await tx.query(SHARE)
}

const SHARE = `
  SELECT FROM lease WHERE starts_with(name, 'projector:') ORDER BY length(name), name FOR SHARE`

/** In the order in which projectors lock their leases. */
const FENCE = `
  WITH held AS MATERIALIZED (
    SELECT name FROM lease WHERE starts_with(name, 'projector:') ORDER BY length(name), name FOR UPDATE
  )
  UPDATE lease SET epoch = epoch + 1 FROM held WHERE lease.name = held.name`
