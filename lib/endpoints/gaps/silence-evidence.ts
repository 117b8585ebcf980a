import 'server-only'
import type pg from 'pg'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import {
  type DeliveryHour,
  findSilence,
  hourLength,
  minQuietMs,
  paceWeeks,
  type Silence,
  sumHours,
} from '../rules/gap-periods.ts'
import { joinDistance } from '../rules/gaps.ts'
import type { EndpointHere } from './endpoint-evidence.ts'
import type { Evidence } from './record-evidence.ts'

/** Nothing has come to this receiver since `since`. */
interface QuietReceiver {
  readonly receiverId: string
  /** `since` is the last delivery, or the end of the last gap in which none could arrive, in ms since 1970. */
  readonly since: number
}

/**
 * Receivers of active endpoints have been silent for longer than their usual pace explains. When all receivers are
 * silent together, one gap covers all of them.
 */
export async function silenceEvidence(
  client: pg.PoolClient,
  active: readonly Pick<EndpointHere, 'receiverId'>[],
  now: number,
): Promise<Evidence[]> {
  const receivers = [...new Set(active.map(({ receiverId }) => receiverId))]
  await countHours(client, receivers, now)
  const receiversWithPast = await readLast(client, receivers)
  const quiet = receiversWithPast.filter(({ since }) => now - since >= minQuietMs)
  if (quiet.length === 0) return []
  const hours = await readHours(client, quiet, now)
  const perReceiver = quiet.flatMap(({ receiverId, since }) => {
    const found = findSilence(since, now, hours.get(receiverId) ?? [])
    return found ? [toEvidence(receiverId, since, found)] : []
  })
  if (quiet.length < receiversWithPast.length || quiet.length === 1) return perReceiver
  const since = Math.max(...quiet.map((one) => one.since))
  const found = findSilence(since, now, sumHours([...hours.values()]))
  if (!found) return perReceiver
  const reported = await readReported(client)
  const separate = perReceiver.filter(
    ({ about, began }) => reported.has(about) || began < since - joinDistance.silent,
  )
  return [...separate, toEvidence('', since, found)]
}

const toEvidence = (about: string, began: number, { expected, weeks }: Silence): Evidence => ({
  about,
  began,
  ended: null,
  note: `No delivery came. At these hours of the week at least ${expected} deliveries came in each of the last ${weeks} weeks.`,
})

async function readLast(client: pg.PoolClient, receivers: readonly string[]): Promise<QuietReceiver[]> {
  const { rows } = await client.query<{ receiver_id: string; since: Date }>(LAST, [receivers])
  return rows.map(({ receiver_id, since }) => ({ receiverId: receiver_id, since: since.getTime() }))
}

/** The result has, for each receiver, the deliveries of the same hours in the weeks before. */
async function readHours(
  client: pg.PoolClient,
  quiet: readonly QuietReceiver[],
  now: number,
): Promise<Map<string, DeliveryHour[]>> {
  const { rows } = await client.query<{ receiver_id: string; hour: Date; deliveries: number }>(USUAL, [
    quiet.map(({ receiverId }) => receiverId),
    quiet.map(({ since }) => new Date(since - (since % hourLength))),
    new Date(now),
    paceWeeks,
  ])
  return new Map(
    [...Map.groupBy(rows, ({ receiver_id }) => receiver_id)].map(([id, hours]) => [
      id,
      hours.map(({ hour, deliveries }) => ({ from: hour.getTime(), deliveries })),
    ]),
  )
}

async function readReported(client: pg.PoolClient): Promise<Set<string>> {
  const { rows } = await client.query<{ about: string }>(
    `SELECT about FROM gap WHERE kind = 'silent' AND ended_at IS NULL`,
  )
  return new Set(rows.map(({ about }) => about))
}

/** The gap is about every endpoint, about the receiver, or about an endpoint of the receiver. */
const ABOUT_RECEIVER = `(
  about IN ('', watched.receiver_id::text)
  OR about IN (SELECT endpoint_uuid::text FROM watched_endpoint AS e WHERE e.receiver_id = watched.receiver_id)
)`

/** A refused delivery counts as an arrival. A receiver that never received anything is not silent. */
const LAST = `
  SELECT receiver_id, GREATEST(
    received_at,
    (SELECT last_at FROM refusal WHERE refusal.receiver_id = watched.receiver_id AND why <> 'wrong-method'
     ORDER BY minute DESC LIMIT 1),
    (SELECT max(ended_at) FROM gap WHERE kind IN ('down', 'restored', 'disabled', 'auto-disabled') AND ${ABOUT_RECEIVER})
  ) AS since
  FROM unnest($1::uuid[]) AS watched (receiver_id)
  CROSS JOIN LATERAL (
    SELECT received_at FROM delivery WHERE delivery.receiver_id = watched.receiver_id ORDER BY id DESC LIMIT 1
  ) AS last`

/** Hours within gaps, or with other subscribed events, do not count for the usual pace. */
const USUAL = `
  SELECT DISTINCT watched.receiver_id, hour, deliveries
  FROM unnest($1::uuid[], $2::timestamptz[]) AS watched (receiver_id, since)
  CROSS JOIN generate_series(1, $4) AS week
  JOIN delivery_hour USING (receiver_id)
  WHERE hour >= since - week * interval '168 hours'
    AND hour < LEAST($3, since + interval '169 hours') - week * interval '168 hours'
    AND hour >= ALL (
      SELECT events_changed_at FROM watched_endpoint AS e
      WHERE e.receiver_id = watched.receiver_id AND events_changed_at IS NOT NULL
    )
    AND NOT EXISTS (
      SELECT FROM gap
      WHERE began_at < hour + interval '1 hour' AND COALESCE(ended_at, 'infinity') > hour
        AND kind NOT IN ('refused', 'deferred', 'key-refused', 'not-seen') AND outcome IS DISTINCT FROM 'no-gap' AND ${ABOUT_RECEIVER}
    )`

/** One round counts at most this many hours, so that it does not read a long log at once. */
const maxHoursPerRound = 48

/** The pace needs `paceWeeks`; one more week covers a silence that lasts. */
const hoursBack = (paceWeeks + 1) * 7 * 24

/**
 * Full hours of each receiver that no round has counted yet are counted, newest first, as far back as the log
 * reaches.
 */
async function countHours(client: pg.PoolClient, receivers: readonly string[], now: number): Promise<void> {
  const present = now - (now % hourLength)
  const { rows } = await client.query<{ receiver_id: string; hour: Date }>(MISSING, [
    receivers,
    new Date(present - hoursBack * hourLength),
    new Date(present - hourLength),
    maxHoursPerRound,
  ])
  if (rows.length === 0) return
  await client.query(COUNT, [
    rows.map(({ receiver_id }) => receiver_id),
    rows.map(({ hour }) => hour),
    rows.map(({ hour }) => firstUuidv7(hour.getTime())),
    rows.map(({ hour }) => firstUuidv7(hour.getTime() + hourLength)),
  ])
}

/** The first hour of the log, or of a receiver, may be incomplete, so it is left out. */
const MISSING = `
  SELECT id AS receiver_id, hour FROM receiver
  CROSS JOIN generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') AS hour
  WHERE id = ANY($1::uuid[])
    AND hour >= created_at AND hour >= (SELECT received_at FROM delivery ORDER BY id LIMIT 1)
    AND NOT EXISTS (SELECT FROM delivery_hour WHERE receiver_id = receiver.id AND delivery_hour.hour = hour.hour)
  ORDER BY hour DESC LIMIT $4`

/** The hour comes from the time in the ids, which our clock set; that is close enough for a pace. */
const COUNT = `
  INSERT INTO delivery_hour (receiver_id, hour, deliveries)
  SELECT receiver, hour, (SELECT count(*) FROM delivery WHERE receiver_id = receiver AND id >= first AND id < next)
  FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[]) AS h (receiver, hour, first, next)
  ON CONFLICT (receiver_id, hour) DO NOTHING`
