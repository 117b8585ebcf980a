import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { storedChannel } from '#lib/deliveries/queue/enqueue.ts'
import { requeueDeadLetters } from '#lib/deliveries/queue/read-queue-state.ts'
import { shardCount } from '#lib/deliveries/rules/subject.ts'
import { type Listener, openListener } from '#lib/platform/db/listen.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { planByIndex } from '#lib/platform/db/read-pools.ts'
import { StepTimeoutError, withWatchdog } from '#lib/platform/in-time.ts'
import { causeOf, limitedLog, noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { foldCounts } from './batch-limits.ts'
import { ErasedPeople } from './erased-people.ts'
import { Pipeline, type ProjectorContext } from './pipeline.ts'
import { rebuildIfRulesChanged } from './rebuild.ts'
import { RebuildWorker } from './rebuild-worker.ts'
import { ShardLeases, shardLeaseMs } from './shard-leases.ts'
import { SubjectCache } from './subject-cache.ts'
import { LeaseLost } from './write-changes.ts'

/** A projector folds the deliveries of its shards as they come. */
export interface Projector {
  readonly pool: pg.Pool
  /** `stop` waits for the running batch and lets another projector begin at once. */
  stop(): Promise<void>
}

/** A query may take this many milliseconds; a connection that is silent for that long is closed. */
const queryTimeoutMs = 15_000

/** One batch or slice may take this many milliseconds. */
const stepTimeoutMs = 120_000

/** Without a notification, the queue is polled after this many milliseconds. */
const pollEvery = 250

/**
 * The projector rests this many milliseconds after a small batch, which costs nearly as much as a large one; deliveries that
 * come meanwhile share the next. The rest after a single delivery is so short that nobody notices it.
 */
const restAfter = (taken: number): number => Math.min(80, 20 * taken)

interface ProjectorOptions {
  /** The address leads to the database itself, without a connection pooler. */
  readonly url: string
  readonly connections?: number
  readonly listener?: Listener
  /** True: this projector folds only while no other process does. */
  readonly onlyWhenAlone?: boolean
  /** The queue has this many shards, a power of two up to 256: all projectors of a database use the same number. */
  readonly shards?: number
}

export async function startProjector(options: ProjectorOptions): Promise<Projector> {
  const { url, connections = 5, shards = shardCount } = options
  const pool = openPool(url, connections, queryTimeoutMs, planByIndex)
  const own = options.listener ? undefined : openListener(url)
  const wakeUp = new WakeUp()
  const unsubscribe = (options.listener ?? own)?.subscribe(storedChannel, () => wakeUp.call())
  const leases = new ShardLeases(pool, shards, options.onlyWhenAlone)
  const context: ProjectorContext = {
    pool,
    leases,
    shards,
    subjects: new SubjectCache(pool),
    erased: new ErasedPeople(),
  }
  let stopping = false
  const ended = run(context, wakeUp, () => stopping)
  return {
    pool,
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

async function run(work: ProjectorContext, wakeUp: WakeUp, isStopping: () => boolean): Promise<void> {
  const { leases, subjects } = work
  const pipeline = new Pipeline(work)
  const rebuildWorker = new RebuildWorker(work)
  const stopRenewing = keepRenewing(leases)
  let retried = false

  async function settle() {
    await pipeline.finishWriting()
    await rebuildWorker.finishWriting()
  }

  /** Caches are cleared, because another process may have written. */
  function resetCaches() {
    subjects.clear()
    rebuildWorker.forget()
    pipeline.scanFromStart()
  }

  async function step(): Promise<Step> {
    const share = await leases.checkShare()
    // The check also runs while nothing comes, so that cached data of an erased person is removed at once.
    if (share === 'lost') throw new LeaseLost('Shards that were held were taken away')
    if (share) {
      await settle()
      await leases.applyShare(share)
      resetCaches()
      await work.erased.load(work.pool)
      if (leases.held.length > 0) await rebuildIfRulesChanged(work.pool, work.shards)
      if (leases.held.length > 0 && !retried) await requeueDeadLetters(work.pool)
      retried ||= leases.held.length > 0
    }
    return leases.held.length > 0 ? workOnce(pipeline, rebuildWorker) : { taken: 0, more: false }
  }

  while (!isStopping()) {
    try {
      const { taken, more } = await withWatchdog(work.pool, stepTimeoutMs, step)
      if (taken > 0 && !more) await sleep(restAfter(taken))
      else if (!more) await wakeUp.wait(pollEvery)
    } catch (error) {
      if (error instanceof StepTimeoutError) pipeline.noteStepTimeout(error)
      await settle().catch(note('debug', 'What was being written failed as well'))
      leases.forget()
      resetCaches()
      if (!(error instanceof LeaseLost)) {
        foldCounts.interruptions += 1
        interruptions.error(causeOf(error), { err: error }, 'The projector was interrupted')
        await sleep(pollEvery)
      }
    }
  }
  await settle().catch(note('error', 'The last batch was not written; it stays pending'))
  await stopRenewing()
  await leases.release().catch(note('warn', 'The leases were not given back; they expire'))
}

interface Step {
  /** The step took this many new deliveries. */
  readonly taken: number
  /** True when there is more to do at once. */
  readonly more: boolean
}

/**
 * New deliveries come first. A rebuild continues only after a batch that was not full, one slice at a time, so
 * that new deliveries wait for one slice at most.
 */
async function workOnce(pipeline: Pipeline, rebuildWorker: RebuildWorker): Promise<Step> {
  const { taken, full } = await pipeline.runBatch((ids) => rebuildWorker.finishWritingOf(ids))
  return { taken, more: full || (await rebuildWorker.runSlice((ids) => pipeline.finishWritingOf(ids))) }
}

/** The leases are renewed in the background: reading a very large subject takes longer than a lease lasts. */
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
  }, shardLeaseMs / 3)
  return async () => {
    clearInterval(timer)
    await renewing
  }
}

/** `WakeUp` wakes the loop that waits; a call before the wait is not forgotten. */
class WakeUp {
  #called = false
  #wake: (() => void) | undefined

  call() {
    this.#called = true
    this.#wake?.()
  }

  /** `most` is in milliseconds. */
  async wait(most: number) {
    if (!this.#called) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#called = false
    this.#wake = undefined
  }
}
