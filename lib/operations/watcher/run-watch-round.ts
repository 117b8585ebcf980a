import 'server-only'
import type pg from 'pg'
import { enterCounted } from '#lib/audit/counted-entries.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { foldAgainSince } from '#lib/deliveries/queue/enqueue.ts'
import { recordReceiving } from '#lib/deliveries/receivers/receiver-periods.ts'
import { readStatusesGiven } from '#lib/deliveries/receivers/status-changes.ts'
import { recordStates } from '#lib/endpoints/endpoint-states.ts'
import { endpointEvidence, readLastActive } from '#lib/endpoints/gaps/endpoint-evidence.ts'
import {
  type Outage,
  recordOutages,
  switchedOffOutages,
  unansweredOutages,
} from '#lib/endpoints/gaps/outages.ts'
import { type Evidence, recordEvidence } from '#lib/endpoints/gaps/record-evidence.ts'
import { recordRefusals } from '#lib/endpoints/gaps/record-refusals.ts'
import { silenceEvidence } from '#lib/endpoints/gaps/silence-evidence.ts'
import { reconcile } from '#lib/endpoints/reconcile.ts'
import { readServiceState, recordLook, type ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { acquireLeases, releaseLeases, renewLeases } from '#lib/platform/db/lease.ts'
import { logOf } from '#lib/platform/log.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { listWebhookEndpoints, type WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'

const log = logOf('watcher')

/** Milliseconds for which a watcher is good: it answers for its endpoints, its writes, and the pause until its next round. */
const watchLeaseMs = 150_000

/**
 * Runs one round: checks whether deliveries may be missing and records the result. False when another watcher
 * runs it. If the service does not answer, or refuses the API key, gaps of endpoints stay as they are, that it could not be
 * seen becomes a gap of its own, and silence is still noticed. If it answers, interrupted endpoint changes are finished too.
 */
export async function runWatchRound(pool: pg.Pool, holder: string): Promise<boolean> {
  const leases = await acquireLeases(pool, ['watcher'], holder, watchLeaseMs)
  if (leases.length === 0) return false
  await enterCounted(pool)
  const asked = performance.now()
  const seen = await listEndpoints()
  const listedAt = new Date()
  const kept = await inTransaction(pool, async (client) => {
    if (!(await renewLeases(client, leases, watchLeaseMs))) return null
    const now = await readClock(client)
    const askedAt = now - (performance.now() - asked)
    await recordRefusals(client, now)
    const seenBefore = await readServiceState(client)
    // Another key was given while this one was tried: what came of it says nothing any more.
    if (
      seen.look === 'key-refused' &&
      seenBefore?.look === 'seen' &&
      Date.parse(seenBefore.lookedAt) > askedAt
    )
      return { learntSince: [] }
    const state = await recordLook(client, seen.look, seenBefore, now)
    const outages = await unansweredOutages(client, seenBefore, state, now)
    if (state.look === 'key-refused' && seenBefore?.look !== 'key-refused')
      await tellAdmins(client, { kind: 'key-refused', actor: null })
    for (const kind of ['key-refused', 'not-seen'] as const)
      await recordEvidence(client, kind, unseenEvidence(kind, state, now), now)
    const active =
      seen.look === 'seen'
        ? await recordEndpoints(client, seen.endpoints, outages, { askedAt, now })
        : await readLastActive(client, seenBefore?.seenAt ?? null)
    const silentSince = await recordEvidence(
      client,
      'silent',
      await silenceEvidence(client, active, now),
      now,
    )
    await recordOutages(client, outages)
    return {
      learntSince: [...outages.map(({ began }) => began), ...(silentSince === null ? [] : [silentSince])],
    }
  })
  if (kept && kept.learntSince.length > 0) await foldAgainSince(pool, Math.min(...kept.learntSince), null)
  if (kept && seen.look === 'seen') await reconcile(seen.endpoints, listedAt)
  return kept !== null
}

type Seen =
  | { readonly look: 'seen'; readonly endpoints: WebhookEndpoint[] }
  | { readonly look: 'key-refused' | 'unanswered' }

/** The call needs the API key alone (§5.1), so a 401 is about that. */
async function listEndpoints(): Promise<Seen> {
  try {
    return { look: 'seen', endpoints: await listWebhookEndpoints(serviceClient()) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error }, 'The service did not list its endpoints: nothing new is known of them')
    return { look: error.code === 'unauthorized' ? 'key-refused' : 'unanswered' }
  }
}

/** Adds to `outages` what ended with an endpoint that was switched off. The list was asked for at `askedAt`. */
async function recordEndpoints(
  client: Transaction,
  listed: readonly WebhookEndpoint[],
  outages: Outage[],
  { askedAt, now }: { readonly askedAt: number; readonly now: number },
) {
  const given = await readStatusesGiven(client, new Date(askedAt))
  const endpoints = listed.map((one) => ({ ...one, status: given.get(one.uuid.toLowerCase()) ?? one.status }))
  const changed = await recordStates(client, endpoints, now)
  // Once for each time that the service switches one off: the change is seen in one round alone.
  const names = new Map(
    changed.flatMap(({ uuid, status, name }) => (status === 'auto_disabled' ? [[uuid, name ?? uuid]] : [])),
  )
  for (const [uuid, endpoint] of names)
    await tellAdmins(client, { kind: 'endpoint-switched-off', actor: null, about: uuid, facts: { endpoint } })
  const switchedOff = endpoints.filter(({ uuid }) => names.has(uuid.toLowerCase()))
  outages.push(...(await switchedOffOutages(client, switchedOff, now)))
  const found = await endpointEvidence(client, endpoints, { askedAt, now })
  await recordReceiving(client, found.active, now)
  await recordEvidence(client, 'disabled', found.disabled, now)
  await recordEvidence(client, 'auto-disabled', found['auto-disabled'], now)
  return found.active
}

/** A service that does not answer for less than this, in ms, is no gap: an endpoint that it disables is seen soon after. */
const shortBreakMs = 5 * 60_000

/** From the last time that it was seen how endpoints are. */
function unseenEvidence(kind: 'key-refused' | 'not-seen', state: ServiceState, now: number): Evidence[] {
  const began = Date.parse(state.seenAt ?? state.since)
  const lasts =
    kind === 'key-refused'
      ? state.look === 'key-refused'
      : state.look === 'unanswered' && now - began >= shortBreakMs
  return lasts ? [{ about: '', began, ended: null, note: null }] : []
}

/** Releases the watch lease. It is acquired once more first, since releasing needs its current epoch. */
export async function releaseWatch(pool: pg.Pool, holder: string): Promise<void> {
  await releaseLeases(pool, await acquireLeases(pool, ['watcher'], holder, watchLeaseMs))
}

async function readClock(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return rows[0]?.now.getTime() ?? Date.now()
}
