import 'server-only'
import type pg from 'pg'
import { noteLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { thirdRetryLatestSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { receiverIdOf } from '#lib/platform/addresses/public-address.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'

/**
 * Attempts to deliver may have failed for this reason: a process gave no beat, stopped, died or was started again;
 * the service did not answer the watcher (the network may have been down); the service disabled an endpoint after
 * failures; or an endpoint delivered elsewhere.
 */
type OutageReason =
  | 'no-beat'
  | 'stopped'
  | 'process-died'
  | 'started'
  | 'service-unanswered'
  | 'switched-off'
  | 'elsewhere'

/** Attempts may have failed in this time, in ms since 1970. It is evidence for the timeline, and no page shows it. */
export interface Outage {
  /** The receiver is null when the outage concerns every receiver. */
  readonly receiverId: string | null
  readonly began: number
  readonly ended: number
  readonly why: OutageReason
}

/** Outages are stored. Call `foldLearnt` after the commit, because deliveries folded meanwhile do not know of them. */
export async function recordOutages(tx: Transaction, outages: readonly Outage[]) {
  if (outages.length === 0) return
  // The fold starts a little earlier, because a process may have died in the middle of this.
  const learnt = outages.map(({ receiverId, began }) => ({
    about: receiverId ?? '',
    began: began - lastFoldMs,
  }))
  await noteLearnt(tx, learnt)
  await tx.query(INSERT, [
    outages.map(({ receiverId }) => receiverId),
    outages.map(({ began }) => new Date(began)),
    outages.map(({ ended }) => new Date(ended)),
    outages.map(({ why }) => why),
  ])
}

/** Folds know of an outage this many milliseconds after it was kept, at the latest. */
const lastFoldMs = 10_000

const INSERT = `
  INSERT INTO outage (receiver_id, began_at, ended_at, why)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[])`

/** The watcher made no check in the round before when the last one is older than this, in ms. */
const roundsWithinMs = 10 * 60_000

/** The network may have been down when no delivery came for this many milliseconds. */
const quietMs = 30_000

/**
 * The service answered at most one of two checks: the network may have been down, unless deliveries came. `before`
 * is the check before; `now` is the time of this check, in ms since 1970.
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

/** Attempts at an endpoint here failed from its last delivery until it was seen disabled (§6). */
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
 * The endpoints of these receivers delivered elsewhere before. Attempts may have failed there, and are repeated here (§6.8).
 * ASSUMED: at most three attempts at an event failed there, because six would put in doubt almost everything of half a day.
 */
export const elsewhereOutages = (receiverIds: readonly string[], now: number): Outage[] =>
  receiverIds.map((receiverId) => ({
    receiverId,
    began: now - thirdRetryLatestSeconds * 1_000,
    ended: now,
    why: 'elsewhere',
  }))

/**
 * The result has the parts of `span` in which no delivery was stored for `atLeast` ms or more. Times are in ms
 * since 1970. Ids of deliveries contain their times, so the log is only probed.
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

/** The first or last delivery of this time was stored then; null when there is none. */
async function probe(client: pg.PoolClient, order: 'ASC' | 'DESC', from: number, until: number) {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM delivery WHERE id >= $1 AND id < $2 ORDER BY id ${order} LIMIT 1`,
    [firstUuidv7(from), firstUuidv7(until)],
  )
  return rows[0] ? Number.parseInt(rows[0].id.replace('-', '').slice(0, 12), 16) : null
}
