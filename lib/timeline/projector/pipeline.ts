import 'server-only'
import type pg from 'pg'
import { isForCustomers } from '#lib/access/rules/events.ts'
import {
  lowestId,
  maxBatchBytes,
  moveToShard,
  type PendingDelivery,
  takeNew,
  takeRequeued,
} from '#lib/deliveries/queue/take.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { logOf } from '#lib/platform/log.ts'
import {
  type Batch,
  type FoldedGroup,
  foldGroups,
  type ReadDelivery,
  readBatch,
  type SubjectGroup,
} from './batch.ts'
import { BatchSize, foldCounts, withinCost } from './batch-limits.ts'
import { overwriteBodies } from './bodies.ts'
import type { ErasedPeople } from './erased-people.ts'
import type { ShardLeases } from './shard-leases.ts'
import type { SubjectCache } from './subject-cache.ts'
import { failureCause, writeChanges, writeDeadLetters } from './write-changes.ts'

const log = logOf('projector')

/** `ProjectorContext` holds the tools of a projector. */
export interface ProjectorContext {
  readonly pool: pg.Pool
  readonly leases: ShardLeases
  readonly shards: number
  readonly subjects: SubjectCache
  readonly erased: ErasedPeople
}

/** One transaction takes at most this many deliveries. */
export const batchSize = 2_000

/** The queue is read from its beginning after this many milliseconds. */
const fullScanEvery = 2_000

/**
 * Ids may be out of order by this many milliseconds, because server clocks differ and commits overtake each
 * other. The next full scan finds older ids.
 */
const idDisorder = 5_000

/**
 * The pipeline folds batch after batch: while one is written, the next is read and folded on top of it. If the
 * write fails, that fold is discarded, and the failed batch is written subject by subject. A subject that fails
 * alone by its own fault, or reaches a time limit alone several times, becomes a dead letter.
 */
export class Pipeline {
  readonly #context: ProjectorContext
  readonly #size: BatchSize
  #writing: BatchInFlight | null = null
  /** The running step has read this batch. */
  #latest: BatchContents = emptyBatch
  /** These deliveries were too slow and become dead letters before the next batch. */
  #tooSlow: { readonly ids: readonly string[]; readonly error: unknown } | null = null
  #scannedAt = Number.NEGATIVE_INFINITY
  #from = lowestId

  constructor(context: ProjectorContext, size = batchSize) {
    this.#context = context
    this.#size = new BatchSize(size)
  }

  /** The next scan begins at the head of the queue. */
  scanFromStart(): void {
    this.#scannedAt = Number.NEGATIVE_INFINITY
  }

  /**
   * A step did not end in time. Only a batch that this step has read counts: while the database is silent no
   * step reads one, and the last batch before it is not at fault.
   */
  noteStepTimeout(error: unknown): void {
    const latest = this.#latest
    this.#latest = emptyBatch
    if (latest.ids.length > 0) this.#noteTimeout(latest, error)
  }

  /**
   * One batch is read and folded, and its write begins. `beforeFold` waits for other writes of these subjects. Throws
   * `LeaseLost`, or when nothing can be folded now. The result says how many deliveries were taken, and if more wait.
   */
  async runBatch(
    beforeFold: (subjectIds: readonly string[]) => Promise<void>,
  ): Promise<{ readonly taken: number; readonly full: boolean }> {
    this.#latest = emptyBatch
    await this.#giveUpTooSlow()
    const { pending: stored, full, isCostly = false } = await this.#take()
    const pending = await this.#withoutErased(stored)
    const taken = pending.length
    if (taken === 0) {
      await this.finishWriting()
      return { taken, full }
    }
    const { pool, leases, subjects } = this.#context
    // While a costly body is read, an open transaction of ours could not continue.
    if (isCostly || pending.some(({ run }) => run !== null)) await this.finishWriting()
    const batch = await readBatch(pending, subjects, leases.isHeld)
    this.#latest = contentsOf(batch)
    await beforeFold(subjectsOf(batch))
    if (batch.misplaced.length > 0) await moveToShard(pool, batch.misplaced)
    for (const { id, error } of batch.failed) await this.#writeDeadLetters([id], error)
    const folded = await this.#fold(batch)
    if ((await this.finishWriting()) && folded) this.#write(batch, folded)
    return { taken, full }
  }

  /** The call waits until none of these subjects is being written. Throws like `runBatch`. */
  async finishWritingOf(subjectIds: readonly string[]): Promise<void> {
    const writing = this.#writing
    if (writing && subjectIds.some((id) => writing.subjects.has(id))) await this.finishWriting()
  }

  /** The call waits until nothing is being written. False means that the fold on top of a failed write must be discarded. */
  async finishWriting(): Promise<boolean> {
    const writing = this.#writing
    this.#writing = null
    if (!writing) return true
    try {
      await writing.done
      this.#size.afterSuccess()
      return true
    } catch (error) {
      await this.#recover(writing.batch, error)
      return false
    }
  }

  async #take(): Promise<{
    readonly pending: readonly PendingDelivery[]
    readonly full: boolean
    readonly isCostly?: boolean
  }> {
    const { pool, leases, shards } = this.#context
    const fromStart = performance.now() - this.#scannedAt >= fullScanEvery
    if (fromStart) this.#scannedAt = performance.now()
    const reach = { shards, held: leases.heldShards, except: this.#writing?.ids ?? [] }
    const max = this.#size.current
    const taken = await takeNew(pool, { ...reach, max, from: fromStart ? lowestId : this.#from })
    const { batch: fresh, left, isCostly } = withinCost(taken)
    const next = (left[0] ?? taken.at(-1))?.id
    if (next) this.#from = firstUuidv7(timeOf(next) - idDisorder)
    if (isCostly) return { pending: fresh, full: true, isCostly }
    const bytes = fresh.reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
    if (fresh.length === max || bytes > maxBatchBytes / 2) return { pending: fresh, full: true }
    const again = await takeRequeued(pool, { ...reach, max: max - fresh.length, from: lowestId })
    const { batch: pending, isCostly: isCostlyNow } = withinCost([...fresh, ...again])
    return { pending, full: isCostlyNow, isCostly: isCostlyNow }
  }

  /** Deliveries about erased people lose their data, in the log too, before they are folded. */
  async #withoutErased(pending: readonly PendingDelivery[]): Promise<readonly PendingDelivery[]> {
    const { pool, erased } = this.#context
    const bodies = new Map(
      pending.flatMap(({ id, body }) => {
        const kept = body && erased.erase(body)
        return kept ? [[id, Buffer.from(kept)] as const] : []
      }),
    )
    if (bodies.size === 0) return pending
    await overwriteBodies(pool, bodies)
    return pending.map((delivery) => ({ ...delivery, body: bodies.get(delivery.id) ?? delivery.body }))
  }

  /** Null when folding failed and each subject was folded alone instead. */
  async #fold(batch: Batch): Promise<FoldedGroup[] | null> {
    const { pool, subjects } = this.#context
    try {
      const folded = await foldGroups(pool, subjects, batch.groups)
      for (const { group, changes, known } of folded)
        subjects.keep(changes.subjectId, known, changes.complete ? group.run : null)
      return folded
    } catch (error) {
      await this.finishWriting()
      await this.#recover(batch, error)
      return null
    }
  }

  /** Each subject of a failed batch is folded alone. Throws when the batch is to be tried again as a whole or in parts. */
  async #recover(batch: Batch, error: unknown): Promise<void> {
    this.#context.subjects.clear()
    const cause = failureCause(error)
    if (cause === 'time-limit') this.#noteTimeout(contentsOf(batch), error)
    if (cause === 'machine' || cause === 'time-limit') throw error
    await this.#foldEachAlone(batch)
  }

  #noteTimeout({ ids, subjects }: BatchContents, error: unknown): void {
    if (this.#size.afterTimeout(ids.length, subjects.size)) this.#tooSlow = { ids, error }
  }

  async #giveUpTooSlow(): Promise<void> {
    if (!this.#tooSlow) return
    const { ids, error } = this.#tooSlow
    await this.#writeDeadLetters(ids, error)
    this.#tooSlow = null
    this.#size.afterSuccess()
  }

  #write(batch: Batch, folded: readonly FoldedGroup[]): void {
    const done = this.#writeFolded(folded, batch.alreadyDone)
    done.catch(leaveToSettle)
    this.#writing = { batch, ...contentsOf(batch), done }
  }

  /** Subjects blocked by another transaction stay pending. Throws when all of them were blocked. */
  async #foldEachAlone({ groups, alreadyDone }: Batch): Promise<void> {
    const hindered: unknown[] = []
    for (const group of groups) {
      try {
        await this.#foldAlone([group], [])
      } catch (error) {
        const fault = failureCause(error)
        if (fault === 'time-limit') this.#noteTimeout(contentsOf({ groups: [group], alreadyDone: [] }), error)
        if (fault === 'machine' || fault === 'time-limit') throw error
        if (fault === 'delivery')
          await this.#writeDeadLetters(
            group.deliveries.map(({ id }) => id),
            error,
          )
        else hindered.push(error)
      }
    }
    if (hindered.length > 0 && hindered.length === groups.length) throw hindered[0]
    if (alreadyDone.length > 0) await this.#foldAlone([], alreadyDone)
  }

  async #foldAlone(groups: readonly SubjectGroup[], alreadyDone: readonly ReadDelivery[]): Promise<void> {
    const { pool, subjects } = this.#context
    await this.#writeFolded(await foldGroups(pool, subjects, groups), alreadyDone)
  }

  async #writeFolded(folded: readonly FoldedGroup[], alreadyDone: readonly ReadDelivery[]): Promise<void> {
    const { pool, leases } = this.#context
    const writing = writingOf(folded, alreadyDone)
    const began = performance.now()
    await writeChanges(pool, leases.held, writing)
    foldCounts.deliveries += writing.folded.length
    foldCounts.batches += 1
    foldCounts.seconds += (performance.now() - began) / 1_000
  }

  async #writeDeadLetters(ids: readonly string[], error: unknown): Promise<void> {
    const { pool, leases } = this.#context
    const reason = error instanceof Error ? error.message : String(error)
    const dead = { count: ids.length, first: ids[0] }
    log.error({ ...dead, err: error }, 'Deliveries could not be folded and are dead letters')
    await writeDeadLetters(pool, leases.held, ids, reason)
  }
}

/** `finishWriting` awaits the same promise and reports its error. */
const leaveToSettle = () => undefined

/** This batch is being written. */
interface BatchInFlight extends BatchContents {
  readonly batch: Batch
  readonly done: Promise<void>
}

/** `BatchContents` holds the ids of deliveries and of their subjects. */
interface BatchContents {
  readonly ids: readonly string[]
  readonly subjects: ReadonlySet<string>
}

const emptyBatch: BatchContents = { ids: [], subjects: new Set() }

const contentsOf = (batch: Pick<Batch, 'groups' | 'alreadyDone'>): BatchContents => ({
  ids: [...batch.groups.flatMap(({ deliveries }) => deliveries), ...batch.alreadyDone].map(({ id }) => id),
  subjects: new Set(subjectsOf(batch)),
})

const subjectsOf = ({ groups }: Pick<Batch, 'groups'>) => groups.map(({ subject }) => subjectId(subject))

function writingOf(folded: readonly FoldedGroup[], alreadyDone: readonly ReadDelivery[]) {
  const deliveries = [...folded.flatMap(({ group }) => group.deliveries), ...alreadyDone]
  return {
    changes: folded.map(({ changes }) => changes),
    notify: folded.filter(({ group }) => hasNew(group)).map(toNotification),
    folded: deliveries,
    foldedAsSure: deliveries.filter(({ answer }) => answer === 'sure').map(({ id }) => id),
    requeued: folded.flatMap(({ group: { run }, misfiled }) =>
      run === null ? [] : misfiled.map((id) => ({ id, run })),
    ),
    lastOnReceiver: lastOnReceiver(deliveries),
  }
}

/** A customer is not notified of events that customers must not know of, such as a check. */
function toNotification({ group, changes: { subjectId, userUuid } }: FoldedGroup) {
  const forCustomers = group.newDeliveries.some(({ reading }) =>
    isForCustomers(reading.envelope?.type ?? null),
  )
  return { subjectId, userUuid: forCustomers ? userUuid : null }
}

const hasNew = ({ deliveries }: SubjectGroup) => deliveries.some(({ run }) => run === null)

function lastOnReceiver(deliveries: readonly ReadDelivery[]): Map<string, number> {
  const last = new Map<string, number>()
  for (const { receiver, receivedAt, logged } of deliveries) {
    if (logged) last.set(receiver, Math.max(last.get(receiver) ?? 0, receivedAt))
  }
  return last
}

/** A uuidv7 contains the milliseconds since 1970. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
