import 'server-only'
import type pg from 'pg'

/**
 * Why attempts to deliver may have failed: no process gave a sign of life, one stopped, died or was started again, the service
 * did not answer the watcher (the network may have been down), or the service switched an endpoint off after failures.
 */
export type OutageReason =
  | 'no-beat'
  | 'stopped'
  | 'process-died'
  | 'started'
  | 'service-unanswered'
  | 'switched-off'

/** A time in which attempts may have failed; ms since 1970. It is evidence for the timeline, and never shown. */
export interface Outage {
  /** Null when it concerns all that deliver here. */
  readonly receiverId: string | null
  readonly began: number
  readonly ended: number
  readonly why: OutageReason
}

/** Keeps outages. Call `foldAgainSince` after the commit: what has been folded meanwhile does not know of them. */
export async function recordOutages(database: pg.Pool | pg.ClientBase, outages: readonly Outage[]) {
  if (outages.length === 0) return
  await database.query(INSERT, [
    outages.map(({ receiverId }) => receiverId),
    outages.map(({ began }) => new Date(began)),
    outages.map(({ ended }) => new Date(ended)),
    outages.map(({ why }) => why),
  ])
}

const INSERT = `
  INSERT INTO outage (receiver_id, began_at, ended_at, why)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[])`
