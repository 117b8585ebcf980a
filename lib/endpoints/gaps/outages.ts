import 'server-only'
import type pg from 'pg'
import { receiverIdOf } from '#lib/platform/addresses/receiver-url.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'

/**
 * Why attempts to deliver may have failed: no process gave a sign of life, one stopped, died or was started again, the service
 * did not answer the watcher (the network may have been down), or the service switched an endpoint off after failures.
 */
type OutageReason = 'no-beat' | 'stopped' | 'process-died' | 'started' | 'service-unanswered' | 'switched-off'

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

/** A look longer ago than this, in ms, was no look of the round before: nobody watched meanwhile. */
const roundsWithinMs = 10 * 60_000

/** Milliseconds without a delivery in which the network may have been down. */
const quietMs = 30_000

/**
 * Between two looks of which the service answered one at most: the network may have been down, unless deliveries came.
 * @param before what came of the look before
 * @param now when it was looked now; ms since 1970
 */
export async function unansweredOutages(
  client: pg.PoolClient,
  before: { readonly look: string; readonly lookedAt: string } | null,
  { look }: { readonly look: string },
  now: number,
): Promise<Outage[]> {
  const began = before ? Date.parse(before.lookedAt) : now
  if (now - began > roundsWithinMs || ![before?.look, look].includes('unanswered')) return []
  const quiet = await findPauses(client, { began, ended: now }, quietMs)
  return quiet.map((pause) => ({ ...pause, receiverId: null, why: 'service-unanswered' }))
}

/** From its last delivery until it is seen switched off, attempts at an endpoint here failed. §6 */
export async function switchedOffOutages(
  client: pg.PoolClient,
  switchedOff: readonly Pick<WebhookEndpoint, 'url'>[],
  now: number,
): Promise<Outage[]> {
  const { rows } = await client.query<{ receiver_id: string; since: Date }>(LAST_TAKEN, [
    switchedOff.flatMap(({ url }) => receiverIdOf(url) ?? []),
  ])
  return rows.map(({ receiver_id, since }) => ({
    receiverId: receiver_id,
    began: since.getTime(),
    ended: now,
    why: 'switched-off',
  }))
}

const LAST_TAKEN = `
  SELECT id AS receiver_id, COALESCE(
    (SELECT received_at FROM delivery WHERE delivery.receiver_id = receiver.id ORDER BY delivery.id DESC LIMIT 1),
    created_at
  ) AS since
  FROM receiver WHERE id = ANY($1::uuid[])`

/**
 * The parts of `span` in which nothing was stored for `atLeast` ms or more. Times in ms since 1970; those of
 * deliveries are read from their ids, so that the log is probed and not read.
 */
export async function findPauses(client: pg.PoolClient, span: Span, atLeast: number): Promise<Span[]> {
  const pauses: Span[] = []
  for (let at = span.began; span.ended - at >= atLeast; ) {
    const latest = await probe(client, 'DESC', at + 1, Math.min(at + atLeast, span.ended))
    if (latest === null) {
      const next = (await probe(client, 'ASC', at + atLeast, span.ended)) ?? span.ended
      pauses.push({ began: at, ended: next })
      at = next
    } else at = latest
  }
  return pauses
}

/** When the first or the last delivery of this time was stored; null for none. */
async function probe(client: pg.PoolClient, order: 'ASC' | 'DESC', from: number, until: number) {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM delivery WHERE id >= $1 AND id < $2 ORDER BY id ${order} LIMIT 1`,
    [firstUuidv7(from), firstUuidv7(until)],
  )
  return rows[0] ? Number.parseInt(rows[0].id.replace('-', '').slice(0, 12), 16) : null
}
