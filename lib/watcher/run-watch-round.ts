import 'server-only'
import type pg from 'pg'
import { enterCounted } from '#lib/audit/enter-counted.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { acquireLeases, releaseLeases, renewLeases } from '#lib/db/lease.ts'
import { reconcile } from '#lib/endpoints/reconcile.ts'
import { endpointEvidence } from '#lib/gaps/endpoint-evidence.ts'
import { recordEvidence } from '#lib/gaps/record-evidence.ts'
import { recordRefusals } from '#lib/gaps/record-refusals.ts'
import { silenceEvidence } from '#lib/gaps/silence-evidence.ts'
import { logOf } from '#lib/log.ts'
import { recordReceiving } from '#lib/receivers/receiver-periods.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { listWebhookEndpoints } from '#lib/service/webhook-endpoints.ts'
import { serviceClient } from '#lib/service-client.ts'

const log = logOf('watcher')

/** Milliseconds for which a watcher is good: it answers for its endpoints, its writes, and the pause until its next round. */
const watchLeaseMs = 150_000

/**
 * Runs one round: checks whether deliveries may be missing and records the result. False when another watcher
 * runs it. If the service does not answer, gaps of endpoints stay as they are. If it answers, interrupted
 * endpoint changes are finished too.
 */
export async function runWatchRound(pool: pg.Pool, holder: string): Promise<boolean> {
  const leases = await acquireLeases(pool, ['watcher'], holder, watchLeaseMs)
  if (leases.length === 0) return false
  await enterCounted(pool)
  const endpoints = await listWebhookEndpoints(serviceClient()).catch(withoutAnswer)
  const listedAt = new Date()
  const kept = await inTransaction(pool, async (client) => {
    if (!(await renewLeases(client, leases, watchLeaseMs))) return false
    const now = await readClock(client)
    await recordRefusals(client, now)
    if (!endpoints) return true
    const found = await endpointEvidence(client, endpoints, now)
    await recordReceiving(client, found.active, now)
    await recordEvidence(client, 'disabled', found.disabled, now)
    await recordEvidence(client, 'auto-disabled', found['auto-disabled'], now)
    await recordEvidence(client, 'silent', await silenceEvidence(client, found.active, now), now)
    return true
  })
  if (kept && endpoints) await reconcile(endpoints, listedAt)
  return kept
}

function withoutAnswer(error: unknown): null {
  if (!(error instanceof ServiceError)) throw error
  log.warn({ err: error }, 'The service did not list its endpoints: nothing new is known of them')
  return null
}

/** Releases the watch lease. It is acquired once more first, since releasing needs its current epoch. */
export async function releaseWatch(pool: pg.Pool, holder: string): Promise<void> {
  await releaseLeases(pool, await acquireLeases(pool, ['watcher'], holder, watchLeaseMs))
}

async function readClock(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return rows[0]?.now.getTime() ?? Date.now()
}
