import 'server-only'
import type pg from 'pg'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { hourLength, paceWeeks } from '../rules/find-silence.ts'

/** Hours that one round counts at most, so that a long log is not read at once. */
const maxHoursPerRound = 48

/** One week more than the pace is learnt from, for a quiet that lasts. */
const hoursBack = (paceWeeks + 1) * 7 * 24

/** Counts the full hours of each receiver that no round has counted yet, newest first, as far back as the log reaches. */
export async function countHours(
  client: pg.PoolClient,
  receivers: readonly string[],
  now: number,
): Promise<void> {
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

/** The first hour of the log, or of a receiver, may be half of one. */
const MISSING = `
  SELECT id AS receiver_id, hour FROM receiver
  CROSS JOIN generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') AS hour
  WHERE id = ANY($1::uuid[])
    AND hour >= created_at AND hour >= (SELECT received_at FROM delivery ORDER BY id LIMIT 1)
    AND NOT EXISTS (SELECT FROM delivery_hour WHERE receiver_id = receiver.id AND delivery_hour.hour = hour.hour)
  ORDER BY hour DESC LIMIT $4`

/** By the time in their ids, which is ours and close enough for a pace. */
const COUNT = `
  INSERT INTO delivery_hour (receiver_id, hour, deliveries)
  SELECT receiver, hour, (SELECT count(*) FROM delivery WHERE receiver_id = receiver AND id >= first AND id < next)
  FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[]) AS h (receiver, hour, first, next)
  ON CONFLICT (receiver_id, hour) DO NOTHING`
