import 'server-only'
import type pg from 'pg'
import { type Listener, openListener } from '#lib/db/listen.ts'
import { openPool } from '#lib/db/pool.ts'
import { storedChannel } from '#lib/ingest/announce-stored.ts'
import { followRules } from './follow-rules.ts'
import { KnownSubjects } from './known-subjects.ts'
import { acquireLease, type Lease, leaseTime, newHolder, releaseLease, renewLease } from './lease.ts'
import { projectBatch } from './project-batch.ts'
import { retrySetAside } from './retry-set-aside.ts'
import { LeaseLost } from './write-changes.ts'

/** Folds deliveries as they come, as long as it holds the lease; waits for it otherwise. */
export interface Projector {
  /** Ends after the batch under way and lets another begin at once. */
  stop(): Promise<void>
}

/** Deliveries of one transaction. */
export const batchSize = 500

/** Milliseconds after which the queue is looked at although nobody called. */
const pollEvery = 250

/** Starts the projector of this process. `url` is the database's address; a pooler may stand before it. */
export async function startProjector(options: {
  readonly url: string
  readonly listener?: Listener
  readonly log?: (line: string) => void
}): Promise<Projector> {
  const pool = openPool(options.url, 4)
  const own = options.listener ? undefined : openListener(options.url)
  const bell = new Bell()
  const deafen = (options.listener ?? own)?.hear(storedChannel, () => bell.ring())
  let stopping = false
  const ended = run({ pool, bell, log: options.log ?? console.error, isStopping: () => stopping })
  return {
    async stop() {
      stopping = true
      bell.ring()
      await ended
      deafen?.()
      await own?.close()
      await pool.end()
    },
  }
}

interface Run {
  readonly pool: pg.Pool
  readonly bell: Bell
  readonly log: (line: string) => void
  readonly isStopping: () => boolean
}

async function run({ pool, bell, log, isStopping }: Run) {
  const holder = newHolder()
  const subjects = new KnownSubjects(pool)
  let lease: Lease | null = null
  let stopFollowing: (() => Promise<void>) | undefined
  let retried = false
  const stopBeating = beat(pool, () => lease)
  while (!isStopping()) {
    try {
      if (!lease) {
        await stopFollowing?.()
        subjects.clear()
        lease = await acquireLease(pool, holder)
        stopFollowing = lease ? followRules(pool, lease, log) : undefined
      }
      if (lease && !retried) {
        await retrySetAside(pool)
        retried = true
      }
      const more = lease ? await step(pool, lease, subjects, log) : false
      if (!more) await bell.wait(pollEvery)
    } catch (error) {
      lease = null
      if (!(error instanceof LeaseLost)) {
        log(`The projector was interrupted: ${error instanceof Error ? error.message : error}`)
        await new Promise((resolve) => setTimeout(resolve, pollEvery))
      }
    }
  }
  await stopFollowing?.()
  await stopBeating()
  if (lease) await releaseLease(pool, lease).catch(() => undefined)
}

/** Renews the lease beside the work: to read a very large subject takes longer than a lease is good for. */
function beat(pool: pg.Pool, lease: () => Lease | null): () => Promise<void> {
  let renewing: Promise<void> | undefined
  async function renew(held: Lease) {
    // Lost or not is for the next write to say.
    await renewLease(pool, held).catch(() => undefined)
    renewing = undefined
  }
  const timer = setInterval(() => {
    const held = lease()
    if (held) renewing ??= renew(held)
  }, leaseTime / 3)
  return async () => {
    clearInterval(timer)
    await renewing
  }
}

/** One batch. True when there may be more; otherwise the lease was only renewed. */
async function step(
  pool: pg.Pool,
  lease: Lease,
  subjects: KnownSubjects,
  log: (line: string) => void,
): Promise<boolean> {
  const taken = await projectBatch(pool, lease, subjects, batchSize, log)
  if (taken === 0 && !(await renewLease(pool, lease))) throw new LeaseLost('Another projector has taken over')
  return taken > 0
}

/** Wakes whoever waits; a ring while nobody waits is not forgotten. */
class Bell {
  #rung = false
  #wake: (() => void) | undefined

  ring() {
    this.#rung = true
    this.#wake?.()
  }

  async wait(most: number) {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#rung = false
    this.#wake = undefined
  }
}
