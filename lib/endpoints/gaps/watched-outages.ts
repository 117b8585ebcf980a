import 'server-only'
import type pg from 'pg'
import { receiverIdOf } from '#lib/platform/addresses/receiver-url.ts'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { findPauses } from './find-pauses.ts'
import type { Outage } from './record-outages.ts'

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
