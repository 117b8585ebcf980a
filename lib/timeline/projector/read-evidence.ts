import 'server-only'
import type pg from 'pg'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import {
  type DeliveryEvidence,
  deliveryEvidence,
  type OutagePeriod,
  type ReceiverPeriod,
} from '../rules/delivery-evidence.ts'
import type { NewDelivery } from './project-subject.ts'

/** The evidence for these deliveries is read as it is known now, by delivery id. */
export async function readEvidence(
  pool: pg.Pool,
  newDeliveries: readonly NewDelivery[],
): Promise<Map<string, DeliveryEvidence>> {
  if (newDeliveries.length === 0) return new Map()
  const since = newDeliveries.reduce(
    (first, { fact }) => Math.min(first, fact.receivedAt),
    Number.POSITIVE_INFINITY,
  )
  const from = new Date(since - retryWindowSeconds * 1000)
  const [periods, outages, refused] = await Promise.all([
    readPeriods(pool),
    readOutages(pool, from),
    readRefused(
      pool,
      newDeliveries.map(({ fact }) => fact.id),
      from,
    ),
  ])
  const evidence = new Map<string, DeliveryEvidence>()
  for (const { fact, reading } of newDeliveries) {
    const arrival = { ...fact, type: reading.envelope?.type ?? null }
    const found = deliveryEvidence(arrival, periods, outages, refused.get(fact.id) ?? [])
    if (found) evidence.set(fact.id, found)
  }
  return evidence
}

async function readPeriods(pool: pg.Pool): Promise<ReceiverPeriod[]> {
  const { rows } = await pool.query<{
    receiver_id: string
    began: number
    ended: number | null
    events: string[]
    lastSeen: number
  }>({ name: 'receiver-periods', text: PERIODS })
  return rows.map(({ receiver_id, began, ended, events, lastSeen }) => ({
    receiver: receiver_id,
    began,
    ended,
    events,
    lastSeenAt: lastSeen,
  }))
}

async function readOutages(pool: pg.Pool, from: Date): Promise<OutagePeriod[]> {
  const { rows } = await pool.query<{ receiver: string | null; began: number; ended: number | null }>({
    name: 'outages',
    text: OUTAGES,
    values: [from, reasonsThatAre('deferred')],
  })
  return rows.map(({ receiver, began, ended }) => ({
    receiver,
    began,
    ended: ended ?? Number.POSITIVE_INFINITY,
  }))
}

/** The bodies of these deliveries were answered 503 before, at these times, by delivery id. */
async function readRefused(
  pool: pg.Pool,
  ids: readonly string[],
  from: Date,
): Promise<Map<string, number[]>> {
  const { rows } = await pool.query<{ id: string; refused: number[] }>({
    name: 'refused-bodies',
    text: REFUSED,
    values: [ids, from],
  })
  return new Map(rows.map(({ id, refused }) => [id, refused]))
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

/** All periods are read, because the evidence of an old one must not depend on the deliveries that are folded together. */
const PERIODS = `
  SELECT receiver_id, ${ms('began_at')} AS began, ${ms('ended_at')} AS ended, events, ${ms('last_seen_at')} AS "lastSeen"
  FROM receiver_period`

/**
 * Attempts may have failed at these times: in our outages, however short; in minutes with refusals by a
 * receiver; in gaps in which nothing came. ASSUMED: our clocks differ by less than 2 s.
 */
const OUTAGES = `
  SELECT receiver_id::text AS receiver, ${ms('began_at')} AS began, ${ms('ended_at')} AS ended
  FROM outage WHERE ended_at >= $1
  UNION ALL
  SELECT receiver_id::text, ${ms(`LEAST(COALESCE(first_at, minute), last_at) - interval '2 s'`)}, ${ms(`last_at + interval '2 s'`)}
  FROM refusal WHERE minute >= $1::timestamptz - interval '1 minute' AND why = ANY($2)
  UNION ALL
  SELECT nullif(about, ''), ${ms('began_at')}, ${ms('ended_at')}
  FROM gap WHERE kind IN ('down', 'restored', 'silent') AND (ended_at IS NULL OR ended_at >= $1)`

/** Bodies are hashed only if there are digests to compare with. */
const REFUSED = `
  SELECT d.id, array_agg(${ms('r.at')} ORDER BY r.at) AS refused
  FROM delivery d JOIN refused_body r ON r.receiver_id = d.receiver_id AND r.digest = sha256(d.body)
  WHERE (SELECT true FROM refused_body WHERE at >= $2 LIMIT 1) AND d.id = ANY($1) AND r.at < d.received_at
  GROUP BY d.id`
