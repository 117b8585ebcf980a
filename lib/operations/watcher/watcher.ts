import 'server-only'
import type pg from 'pg'
import { enterCounted } from '#lib/audit/counted-entries.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { foldLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { recordReceiving } from '#lib/deliveries/receivers/receiver-store.ts'
import { readStatusesGiven } from '#lib/deliveries/receivers/status-changes.ts'
import { endpointChannel, recordStates } from '#lib/endpoints/endpoint-states.ts'
import { recordRefusals } from '#lib/endpoints/gaps/close-settled-gaps.ts'
import { endpointEvidence, readLastActive } from '#lib/endpoints/gaps/endpoint-evidence.ts'
import {
  elsewhereOutages,
  type Outage,
  recordOutages,
  switchedOffOutages,
  unansweredOutages,
} from '#lib/endpoints/gaps/outages.ts'
import { type Evidence, recordEvidence } from '#lib/endpoints/gaps/record-evidence.ts'
import { silenceEvidence } from '#lib/endpoints/gaps/silence-evidence.ts'
import { reconcile } from '#lib/endpoints/secret-handoff-store.ts'
import {
  readServiceState,
  recordServiceOutcome,
  refusedKeyChannel,
  type ServiceState,
} from '#lib/endpoints/service-key/service-state.ts'
import { apiKeyChannel } from '#lib/endpoints/service-key/stored-api-key.ts'
import { endOldData } from '#lib/people/erasure/end-old-data.ts'
import { resumeErasures } from '#lib/people/erasure/erase-user.ts'
import { launchSettling } from '#lib/people/erasure/months-back.ts'
import { resumeImports } from '#lib/people/import/list-imports.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { startRounds } from '#lib/platform/db/concurrency.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { listWebhookEndpoints, type WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { learnUsualNext, learnUsualStays } from '#lib/transactions/usual-times.ts'
import { openRetentionSweeper } from '../retention/sweep.ts'

const log = logOf('watcher')

/**
 * The lease lasts this many milliseconds: enough for the service's answer, the writes, and the pause until the next
 * round.
 */
const watchLeaseMs = 150_000

export const watchJob = () => new Job('watcher', watchLeaseMs)

/**
 * `runWatchRound` checks in one round for missing deliveries and records the result. It returns false when another
 * watcher runs. Without an answer of the service, or with a refused API key, gaps of endpoints stay unchanged and a
 * separate gap is recorded. With an answer it also finishes interrupted changes.
 */
export async function runWatchRound(pool: pg.Pool, job: Job): Promise<boolean> {
  if (!(await job.take(pool))) return false
  await enterCounted(pool)
  const asked = performance.now()
  const seen = await listEndpoints()
  const listedAt = new Date(await readClock(pool))
  const kept = await inTransaction(pool, async (client) => {
    if (!(await job.hold(client))) return false
    const now = await readClock(client)
    const askedAt = now - (performance.now() - asked)
    await recordRefusals(client, now)
    const seenBefore = await readServiceState(client)
    // A new key was set while this one was tried, so the refusal says nothing any more.
    if (
      seen.look === 'key-refused' &&
      seenBefore?.look === 'seen' &&
      Date.parse(seenBefore.lookedAt) > askedAt
    )
      return true
    const state = await recordServiceOutcome(client, seen.look, seenBefore, now)
    const outages = await unansweredOutages(client, seenBefore, state, now)
    if (state.look === 'key-refused' && !seenBefore?.keyRefused)
      await tellAdmins(client, { kind: 'key-refused', actor: null })
    for (const kind of ['key-refused', 'not-seen'] as const)
      await recordEvidence(client, kind, unseenEvidence(kind, state, now), now)
    const active =
      seen.look === 'seen'
        ? await recordEndpoints(client, seen.endpoints, outages, { askedAt, now })
        : await readLastActive(client, seenBefore?.seenAt ?? null)
    await recordEvidence(client, 'silent', await silenceEvidence(client, active, now), now)
    await recordOutages(client, outages)
    return true
  })
  if (!kept) return false
  await foldLearnt(pool)
  if (seen.look === 'seen') await reconcile(seen.endpoints, listedAt)
  return true
}

type Seen =
  | { readonly look: 'seen'; readonly endpoints: WebhookEndpoint[] }
  | { readonly look: 'key-refused' | 'unanswered' }

/** The call needs only the API key (§5.1), so a 401 is about the key. */
async function listEndpoints(): Promise<Seen> {
  try {
    return { look: 'seen', endpoints: await listWebhookEndpoints(serviceClient()) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    log.warn({ err: error }, 'The service did not list its endpoints: nothing new is known of them')
    return { look: error.code === 'unauthorized' ? 'key-refused' : 'unanswered' }
  }
}

/**
 * The function adds to `outages` those that ended when an endpoint was disabled or pointed here. The list was requested at
 * `askedAt`.
 */
async function recordEndpoints(
  client: Transaction,
  listed: readonly WebhookEndpoint[],
  outages: Outage[],
  { askedAt, now }: { readonly askedAt: number; readonly now: number },
) {
  const given = await readStatusesGiven(client, new Date(askedAt))
  const endpoints = listed.map((one) => ({ ...one, status: given.get(one.uuid.toLowerCase()) ?? one.status }))
  const changed = await recordStates(client, endpoints, now)
  // Admins are told once for each time the service disables an endpoint, because only one round sees the change.
  const names = new Map(
    changed.flatMap(({ uuid, status, name }) => (status === 'auto_disabled' ? [[uuid, name ?? uuid]] : [])),
  )
  for (const [uuid, endpoint] of names)
    await tellAdmins(client, { kind: 'endpoint-switched-off', actor: null, about: uuid, facts: { endpoint } })
  const switchedOff = endpoints.filter(({ uuid }) => names.has(uuid.toLowerCase()))
  outages.push(...(await switchedOffOutages(client, switchedOff, now)))
  const found = await endpointEvidence(client, endpoints, { askedAt, now })
  outages.push(...elsewhereOutages(await recordReceiving(client, found.active, now), now))
  await recordEvidence(client, 'disabled', found.disabled, now)
  await recordEvidence(client, 'auto-disabled', found['auto-disabled'], now)
  return found.active
}

/** A shorter time without an answer, in ms, is no gap: an endpoint that is disabled meanwhile is seen soon after. */
const shortBreakMs = 5 * 60_000

/** The evidence begins with the last time at which the endpoints' statuses were known. */
function unseenEvidence(kind: 'key-refused' | 'not-seen', state: ServiceState, now: number): Evidence[] {
  const began = Date.parse(state.seenAt ?? state.since)
  const lasts =
    kind === 'key-refused'
      ? state.look === 'key-refused'
      : state.look === 'unanswered' && now - began >= shortBreakMs
  return lasts ? [{ about: '', began, ended: null, note: null }] : []
}

const note = noting(log)

/**
 * The watcher checks every minute for missing deliveries, and at once when an endpoint was changed here or a call found
 * the API key refused.
 */
export interface Watcher {
  /** `stop` resolves after the current round. */
  stop(): Promise<void>
}

/** Starts the watcher of this process. One process does the work for all. `every` is in milliseconds. */
export function startWatcher(pool: pg.Pool, every = 60_000): Watcher {
  const job = watchJob()
  const sweeper = openRetentionSweeper(pool)
  const round = () =>
    runWatchRound(pool, job)
      .then((held) => {
        if (!held) return
        launchSettling(pool)
        return Promise.all([
          sweeper.sweep(),
          resumeErasures(pool),
          resumeImports(pool),
          endOldData(pool),
          learnUsualStays(pool),
          learnUsualNext(pool),
        ])
      })
      .catch((error: unknown) => log.error({ err: error }, 'A round of the watcher was interrupted'))
  const rounds = startRounds(round, every)
  const unsubscribe = [
    listener().subscribe(endpointChannel, rounds.request),
    listener().subscribe(refusedKeyChannel, rounds.request),
    // The pause gives every process time to read the new key.
    listener().subscribe(apiKeyChannel, () => setTimeout(rounds.request, 500).unref()),
  ]
  return {
    async stop() {
      for (const end of unsubscribe) end()
      await rounds.stop()
      await job.release(pool).catch(note('warn', 'The lease of the watcher was not given back; it expires'))
    },
  }
}
