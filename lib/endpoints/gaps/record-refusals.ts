import 'server-only'
import type pg from 'pg'
import { readWrongSecrets } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { joinDistance } from '../rules/gaps.ts'
import { closeSettledGaps, deferredEvidence } from './close-settled-gaps.ts'
import { type Evidence, recordEvidence } from './record-evidence.ts'

/** Deliveries that were not accepted here become gaps, and settled gaps are closed. The service is not asked. */
export async function recordRefusals(client: pg.PoolClient, now: number): Promise<void> {
  const deferred = await deferredEvidence(client, now)
  await recordEvidence(client, 'refused', await refusedEvidence(client, now), now)
  await recordEvidence(client, 'deferred', deferred, now)
  await closeSettledGaps(client, deferred, now)
}

/** Refusals are read this far back, in ms: further than any pause between two rounds should be. */
const lookBackMs = 24 * 3_600_000

/**
 * Deliveries that were refused for good are read by minute. A period lasts until no refusal came for as long as a
 * retry takes (§6.8), or the receiver was changed here. Wrong secrets count only while the right secret is not
 * accepted; otherwise a stranger sent them.
 */
async function refusedEvidence(client: pg.PoolClient, now: number): Promise<Evidence[]> {
  const since = new Date(now - lookBackMs)
  const { rows } = await client.query<{ receiver_id: string; first_at: Date; last_at: Date }>(FINAL, [
    since,
    reasonsThatAre('final'),
  ])
  const final = rows.map(({ receiver_id, first_at, last_at }) => ({
    receiverId: receiver_id,
    first: first_at.getTime(),
    last: last_at.getTime(),
    // A new secret does not make a body readable.
    isOver: false,
  }))
  const wrong = (await readWrongSecrets(client, since, now))
    .filter(({ who }) => who === 'service')
    .map((minute) => ({ ...minute, isOver: minute.changed && minute.changedAt > minute.last }))
  return [...final, ...wrong]
    .toSorted((a, b) => a.first - b.first)
    .map(({ receiverId, first, last, isOver }) => ({
      about: receiverId,
      began: first,
      // The last refusal may be later than the database's clock says, since another process's clock counted it.
      ended: now - last < joinDistance.refused && !isOver ? null : last,
      note: null,
    }))
}

/** A closed address counts only while an endpoint is known to point at it. */
const FINAL = `
  SELECT receiver_id, LEAST(COALESCE(first_at, minute), last_at) AS first_at, last_at FROM refusal
  WHERE minute >= $1 AND why = ANY($2) AND (why <> 'unknown-receiver' OR EXISTS (
    SELECT FROM watched_endpoint AS watched
    WHERE watched.receiver_id = refusal.receiver_id AND watched.last_active_at > refusal.last_at
  ))`
