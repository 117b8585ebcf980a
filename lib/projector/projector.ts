import 'server-only'
import { type Listener, openListener } from '#lib/db/listen.ts'
import { planByIndex } from '#lib/db/plan-by-index.ts'
import { openPool } from '#lib/db/pool.ts'
import { withWatchdog } from '#lib/db/watchdog.ts'
import { shardCount } from '#lib/domain/shard.ts'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { noting } from '#lib/log/noting.ts'
import { logOf } from '#lib/log.ts'
import { requeueDeadLetters } from '#lib/queue/requeue-dead-letters.ts'
import { storedChannel } from '#lib/queue/stored-channel.ts'
import { followRules } from './follow-rules.ts'
import { KnownSubjects } from './known-subjects.ts'
import { Pipeline, type Work } from './pipeline.ts'
import { leaseTime, ShardLeases } from './shard-leases.ts'
import { Sweep } from './sweep.ts'
import { WakeUp } from './wake-up.ts'
import { LeaseLost } from './write-changes.ts'

/** Folds the deliveries of the shards that it holds, as they come. */
export interface Projector {
  /** Ends after the batch under way and lets another begin at once. */
  stop(): Promise<void>
}

/** Milliseconds for a query; a connection that is silent for so long is given up. */
const longestQuery = 15_000

/** Milliseconds for one batch or slice. */
const longestStep = 120_000

/** Milliseconds after which the queue is looked at although nobody called. */
const pollEvery = 250

export interface ProjectorOptions {
  /** The database's address, past any pooler. */
  readonly url: string
  readonly listener?: Listener
  /** Folds only while no other process does. */
  readonly onlyWhenAlone?: boolean
  /** Into how many shards the queue is divided, a power of two up to 256: the same for all projectors of a database. */
  readonly shards?: number
}

/** Starts the projector of this process. */
export async function startProjector(options: ProjectorOptions): Promise<Projector> {
  const { url, shards = shardCount } = options
  const pool = openPool(url, 5, longestQuery, planByIndex)
  const own = options.listener ? undefined : openListener(url)
  const wakeUp = new WakeUp()
  const unsubscribe = (options.listener ?? own)?.subscribe(storedChannel, () => wakeUp.call())
  const leases = new ShardLeases(pool, shards, options.onlyWhenAlone)
  const work: Work = { pool, leases, shards, subjects: new KnownSubjects(pool) }
  let stopping = false
  const ended = run(work, wakeUp, () => stopping)
  return {
    async stop() {
      stopping = true
      wakeUp.call()
      await ended
      unsubscribe?.()
      await own?.close()
      await pool.end()
    },
  }
}

const log = logOf('projector')
const note = noting(log)
const interruptions = limitedLog(log)

async function run(work: Work, wakeUp: WakeUp, isStopping: () => boolean): Promise<void> {
  const { leases, subjects } = work
  const pipeline = new Pipeline(work)
  const sweep = new Sweep(work)
  const stopRenewing = keepRenewing(leases)
  let retried = false

  async function settle() {
    await pipeline.settle()
    await sweep.settle()
  }

  /** Others may have written what is remembered. */
  function startAfresh() {
    subjects.clear()
    sweep.forget()
    pipeline.lookAtAll()
  }

  /** False when there is nothing to do. */
  async function step(): Promise<boolean> {
    const share = await leases.look()
    if (share) {
      await settle()
      await leases.take(share)
      startAfresh()
      if (leases.held.length > 0) await followRules(work.pool, work.shards)
      if (leases.held.length > 0 && !retried) await requeueDeadLetters(work.pool)
      retried ||= leases.held.length > 0
    }
    return leases.held.length > 0 && (await workOnce(pipeline, sweep))
  }

  while (!isStopping()) {
    try {
      const busy = await withWatchdog(work.pool, longestStep, step)
      if (!busy) await wakeUp.wait(pollEvery)
    } catch (error) {
      await settle().catch(note('debug', 'What was being written failed as well'))
      leases.drop()
      startAfresh()
      if (!(error instanceof LeaseLost)) {
        interruptions.error(causeOf(error), { err: error }, 'The projector was interrupted')
        await new Promise((resolve) => setTimeout(resolve, pollEvery))
      }
    }
  }
  await settle().catch(note('error', 'The last batch was not written; it stays pending'))
  await stopRenewing()
  await leases.release().catch(note('warn', 'The leases were not given back; they expire'))
}

/**
 * New deliveries first; a rebuild goes on only when a batch was not full, slice by slice, so that what is new waits for
 * one slice at most. False when there is nothing to do.
 */
async function workOnce(pipeline: Pipeline, sweep: Sweep): Promise<boolean> {
  const { taken, full } = await pipeline.turn((ids) => sweep.settleOf(ids))
  if (full) return true
  return (await sweep.slice((ids) => pipeline.settleOf(ids))) || taken > 0
}

/** Renews the leases beside the work: to read a very large subject takes longer than a lease is good for. */
function keepRenewing(leases: ShardLeases): () => Promise<void> {
  let renewing: Promise<void> | undefined
  async function renew() {
    await leases
      .renew()
      .catch(note('debug', 'The leases were not renewed; the next write says whether they are lost'))
    renewing = undefined
  }
  const timer = setInterval(() => {
    renewing ??= renew()
  }, leaseTime / 3)
  return async () => {
    clearInterval(timer)
    await renewing
  }
}
