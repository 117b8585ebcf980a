import 'server-only'
import type pg from 'pg'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { deferredGapOf, deferredPeriods } from '../rules/deferred-periods.ts'
import type { Evidence } from './record-evidence.ts'

/** How far back minutes are read, in ms: twice the length of the retry schedule (§6.8). */
const lookBackMs = 48 * 3_600_000

export interface DeferredEvidence extends Evidence {
  /** No delivery is missing any more; this only ends a stored gap that still lasts. */
  readonly settled: boolean
}

/** Periods in which deliveries were deferred and are not known to have been retried. */
export async function deferredEvidence(client: pg.PoolClient, now: number): Promise<DeferredEvidence[]> {
  const { rows } = await client.query<DeferredRow>(DEFERRED, [
    new Date(now - lookBackMs),
    reasonsThatAre('deferred'),
  ])
  const lasting = await client.query<{ about: string; began_at: Date }>(LASTING)
  const beganAt = new Map(lasting.rows.map(({ about, began_at }) => [about, began_at.getTime()]))
  return [...Map.groupBy(rows, ({ receiver_id }) => receiver_id)].flatMap(([about, minutes]) => {
    const { last_taken = null, open = false } = minutes[0] ?? {}
    const known = { lastTaken: last_taken?.getTime() ?? null, open, now }
    const times = deferredPeriods(
      minutes.map(({ first_at, last_at }) => ({ first: first_at.getTime(), last: last_at.getTime() })),
    )
    return times.flatMap((time): DeferredEvidence[] => {
      const evidence = deferredGapOf(time, known)
      const { began, ended } = time
      if (evidence) return [{ ...evidence, about, note: null, settled: false }]
      return ended >= (beganAt.get(about) ?? Number.POSITIVE_INFINITY)
        ? [{ began, ended, about, note: null, settled: true }]
        : []
    })
  })
}

interface DeferredRow {
  readonly receiver_id: string
  readonly first_at: Date
  readonly last_at: Date
  readonly last_taken: Date | null
  readonly open: boolean
}

const LASTING = `SELECT about, began_at FROM gap WHERE kind = 'deferred' AND ended_at IS NULL`

/** Minutes within our own downtime are left out: the downtime is reported as its own gap. */
const DEFERRED = `
  SELECT receiver_id, LEAST(min(COALESCE(first_at, minute)), max(last_at)) AS first_at, max(last_at) AS last_at,
    receiver.state <> 'closed' AS open,
    (SELECT received_at FROM delivery WHERE delivery.receiver_id = refusal.receiver_id
     ORDER BY delivery.id DESC LIMIT 1) AS last_taken
  FROM refusal JOIN receiver ON receiver.id = receiver_id
  WHERE minute >= $1 AND why = ANY($2) AND NOT EXISTS (
    SELECT FROM gap
    WHERE kind = 'down' AND began_at <= last_at AND ended_at >= COALESCE(first_at, minute)
  )
  GROUP BY receiver_id, minute, receiver.state ORDER BY minute`
