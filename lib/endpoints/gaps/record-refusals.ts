import 'server-only'
import type pg from 'pg'
import { closeSettledGaps } from './close-settled-gaps.ts'
import { deferredEvidence } from './deferred-evidence.ts'
import { recordEvidence } from './record-evidence.ts'
import { refusedEvidence } from './refused-evidence.ts'

/** Makes gaps of what we did not take ourselves, and closes those that have come right; needs no word of the service. */
export async function recordRefusals(client: pg.PoolClient, now: number): Promise<void> {
  const deferred = await deferredEvidence(client, now)
  await recordEvidence(client, 'refused', await refusedEvidence(client, now), now)
  await recordEvidence(client, 'deferred', deferred, now)
  await closeSettledGaps(client, deferred, now)
}
