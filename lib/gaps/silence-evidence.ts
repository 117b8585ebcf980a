import 'server-only'
import type pg from 'pg'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { hourLength, silence, weeksOfPace } from '#lib/domain/usual-pace.ts'
import type { Evidence } from './record-evidence.ts'

/** Hours that one round counts at most, so that a long log is not read at once. */
const hoursOfARound = 48

const reach = weeksOfPace * 7 * 24 + 24

/** A quiet that the merchant's own pace does not explain. Empty while there is too little history. */
export async function silenceEvidence(client: pg.PoolClient, now: number): Promise<Evidence[]> {
  await countHours(client, now)
  const { rows } = await client.query<{ at: Date | null }>(QUIET_FROM)
  const began = rows[0]?.at?.getTime()
  if (began === undefined) return []
  const { rows: hours } = await client.query<{ hour: Date; deliveries: number }>(USUAL, [
    new Date(began - reach * hourLength),
  ])
  const pace = hours.map(({ hour, deliveries }) => ({ from: hour.getTime(), deliveries }))
  const found = silence(began, now, pace)
  if (!found) return []
  const note = `Nothing came since then; at these hours of the week at least ${found.due} deliveries came in each of the last ${found.weeks} weeks.`
  return [{ about: '', began, ended: null, note }]
}

/** Counts the full hours that no round has counted yet, newest first, as far back as the log reaches. */
async function countHours(client: pg.PoolClient, now: number) {
  const oldest = await client.query<{ at: Date }>(
    'SELECT received_at AS at FROM delivery ORDER BY id LIMIT 1',
  )
  const begin = oldest.rows[0]?.at.getTime()
  if (begin === undefined) return
  const present = now - (now % hourLength)
  const { rows } = await client.query<{ hour: Date }>('SELECT hour FROM delivery_hour WHERE hour >= $1', [
    new Date(present - reach * hourLength),
  ])
  const counted = new Set(rows.map(({ hour }) => hour.getTime()))
  const missing = Array.from({ length: reach }, (_, i) => present - (i + 1) * hourLength)
    // The first hour of the log may be half of one.
    .filter((hour) => hour >= begin && !counted.has(hour))
    .slice(0, hoursOfARound)
  if (missing.length === 0) return
  await client.query(COUNT, [
    missing.map((hour) => new Date(hour)),
    missing.map(firstUuidv7),
    missing.map((hour) => firstUuidv7(hour + hourLength)),
  ])
}

/** By the time in their ids, which is ours and close enough for a pace. */
const COUNT = `
  INSERT INTO delivery_hour (hour, deliveries)
  SELECT hour, (SELECT count(*) FROM delivery WHERE id >= first AND id < next)
  FROM unnest($1::timestamptz[], $2::uuid[], $3::uuid[]) AS h (hour, first, next)
  ON CONFLICT (hour) DO NOTHING`

/** The last delivery, or the end of the last time in which none could come. */
const QUIET_FROM = `
  SELECT GREATEST(
    (SELECT received_at FROM delivery ORDER BY id DESC LIMIT 1),
    (SELECT max(ended_at) FROM gap WHERE kind IN ('down', 'disabled', 'auto-disabled'))
  ) AS at
  WHERE EXISTS (SELECT FROM delivery)`

/** Hours in which deliveries may have been missing teach nothing. */
const USUAL = `
  SELECT hour, deliveries FROM delivery_hour
  WHERE hour >= $1 AND NOT EXISTS (
    SELECT FROM gap
    WHERE began_at < hour + interval '1 hour' AND COALESCE(ended_at, 'infinity') > hour
      AND kind <> 'refused' AND outcome IS DISTINCT FROM 'no-gap'
  )`
