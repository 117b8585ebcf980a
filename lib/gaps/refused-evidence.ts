import 'server-only'
import type pg from 'pg'
import { neighbourhood } from '#lib/domain/gaps.ts'
import type { Evidence } from './record-evidence.ts'

/** How far back refusals are looked at, in ms: further than any pause between two rounds should be. */
const lookBack = 24 * 3_600_000

/** Deliveries that were refused, minute by minute. It lasts until as long as a retry takes (§6.8) brings no more. */
export async function refusedEvidence(client: pg.PoolClient, now: number): Promise<Evidence[]> {
  const { rows } = await client.query<{ receiver_id: string; minute: Date; last_at: Date }>(REFUSED, [
    new Date(now - lookBack),
  ])
  return rows.map(({ receiver_id, minute, last_at }) => {
    const last = last_at.getTime()
    // A last refusal that lasts: the clock of whoever counted it may be ahead of the database's.
    const ended = now - last < neighbourhood.refused ? null : last
    return { about: receiver_id, began: Math.min(minute.getTime(), last), ended, note: null }
  })
}

const REFUSED = `
  SELECT receiver_id, minute, max(last_at) AS last_at FROM refusal
  WHERE minute >= $1 GROUP BY receiver_id, minute ORDER BY minute`
