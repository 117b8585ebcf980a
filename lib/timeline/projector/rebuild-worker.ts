import 'server-only'
import { requeueForRun } from '#lib/deliveries/queue/enqueue.ts'
import { countPendingOfRun } from '#lib/deliveries/queue/read-queue-state.ts'
import { parseSubjectId, shardHash } from '#lib/deliveries/rules/subject.ts'
import { logOf } from '#lib/platform/log.ts'
import { BatchSize, inChunks } from './batch-limits.ts'
import type { ProjectorContext } from './pipeline.ts'
import { nothingKnown, projectSubject, type SubjectChanges } from './project-subject.ts'
import { readFromLog } from './read-from-log.ts'
import {
  countKept,
  type RebuildPart,
  readNextMissing,
  readNextSubjects,
  readOpenParts,
  type SliceProgress,
  saveProgress,
  writeSubjectAsDeadLetters,
} from './rebuild-progress.ts'
import { shardOfLease } from './shard-leases.ts'
import { type BatchWrite, emptyWrite, failureCause, writeChanges } from './write-changes.ts'

const log = logOf('projector')

/** One transaction writes about this many deliveries; a subject is never divided. */
const sliceSize = 2_000

/** This many deliveries may be queued for a rebuild. */
const maxQueued = 2_000

/** A rebuild is looked for after this many milliseconds. */
const checkEvery = 500

/**
 * The process does its part of a rebuild one slice at a time, beside new deliveries. It reads the subjects of
 * its shards from the log in the order of their ids and writes them completely, with its progress. The holder
 * of shard 0 then scans the log for deliveries without a subject. Decision 0030.
 */
export class RebuildWorker {
  readonly #context: ProjectorContext
  readonly #size = new BatchSize(sliceSize)
  #checkedAt = Number.NEGATIVE_INFINITY
  #parts: readonly RebuildPart[] = []
  #writing: { readonly slice: Slice; readonly done: Promise<void> } | null = null

  constructor(context: ProjectorContext) {
    this.#context = context
  }

  /** The next call looks for a rebuild. */
  checkForRebuild(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY
  }

  /** The held shards have changed, and nothing is being written. */
  forget(): void {
    this.#parts = []
    this.checkForRebuild()
  }

  /** The call waits until nothing is being written. Throws `LeaseLost`, or when nothing can be written now. */
  async finishWriting(): Promise<void> {
    const writing = this.#writing
    this.#writing = null
    if (!writing) return
    try {
      await writing.done
      this.#size.afterSuccess()
    } catch (error) {
      await this.#recover(writing.slice, error)
    }
  }

  /** The call waits until none of these subjects is being written. Throws like `finishWriting`. */
  async finishWritingOf(subjectIds: readonly string[]): Promise<void> {
    const writing = this.#writing
    if (writing && subjectIds.some((id) => writing.slice.subjects.has(id))) await this.finishWriting()
  }

  /** One slice is rebuilt; false when there is nothing to do now. `beforeFold` waits for other writes of these subjects. */
  async runSlice(beforeFold: (subjectIds: readonly string[]) => Promise<void>): Promise<boolean> {
    if (performance.now() - this.#checkedAt >= checkEvery) {
      await this.finishWriting()
      const { pool, leases, shards } = this.#context
      this.#parts = await readOpenParts(pool, leases.held.map(shardOfLease), shards)
      this.#checkedAt = performance.now()
    }
    const first = this.#parts.filter(({ kind }) => kind === 'subjects').toSorted(byCursor)[0]
    if (first) return this.#sliceOfSubjects(first, beforeFold)
    const log = this.#parts.find(({ kind }) => kind === 'log')
    return log ? this.#sliceOfLog(log) : false
  }

  /** Parts with the same cursor as `first` are done together with it. */
  async #sliceOfSubjects(
    { rebuild, cursor }: RebuildPart,
    beforeFold: (subjectIds: readonly string[]) => Promise<void>,
  ): Promise<boolean> {
    const { pool, shards } = this.#context
    const parts = this.#parts.filter((part) => part.kind === 'subjects' && part.cursor === cursor)
    const held = new Set(parts.map(({ part }) => part))
    const isHeld = (id: string) => held.has(shardHash(id) % shards)
    const { ids, last, count } = await readNextSubjects(pool, cursor, this.#size.current, isHeld)
    const progress = {
      rebuild,
      parts: [...held],
      cursor: last ?? cursor,
      count,
      kept: 0,
      finished: last === null,
    }
    const slice = { ids, subjects: new Set(ids), progress }
    await beforeFold(ids)
    const folded = await this.#fold(slice)
    await this.finishWriting()
    if (!folded) return true
    const done = this.#write(slice, folded)
    done.catch(leaveToSettle)
    this.#writing = { slice, done }
    this.#parts = this.#parts.flatMap((part) => {
      if (!parts.includes(part)) return [part]
      return last === null ? [] : [{ ...part, cursor: last }]
    })
    return true
  }

  /** Null when folding failed and each subject was folded alone instead. */
  async #fold(slice: Slice): Promise<FoldedSubject[] | null> {
    try {
      return await this.#foldSubjects(slice.ids)
    } catch (error) {
      await this.finishWriting()
      await this.#recover(slice, error)
      return null
    }
  }

  async #foldSubjects(ids: readonly string[]): Promise<FoldedSubject[]> {
    const { pool, subjects } = this.#context
    const logged = await readFromLog(pool, ids)
    const fold = (id: string): FoldedSubject[] => {
      // Cached rows may be wrong if the stored rows are.
      subjects.forget(id)
      const subject = parseSubjectId(id)
      if (!subject) return []
      const { known, newDeliveries, misfiled, dropped } = logged.get(id) ?? {
        known: nothingKnown,
        newDeliveries: [],
        misfiled: [],
        dropped: 0,
      }
      return [{ ...projectSubject(subject, known, newDeliveries, new Set(), true), misfiled, dropped }]
    }
    const folded: FoldedSubject[] = []
    for await (const some of inChunks(ids)) folded.push(...some.flatMap(fold))
    return folded
  }

  #write({ progress }: Slice, folded: readonly FoldedSubject[]): Promise<void> {
    const { pool, leases } = this.#context
    const writing: BatchWrite = {
      ...emptyWrite,
      changes: folded.map(({ changes }) => changes),
      requeued: folded.flatMap(({ misfiled }) => misfiled.map((id) => ({ id, run: progress.rebuild }))),
    }
    return writeChanges(pool, leases.held, writing, (client) =>
      saveProgress(client, { ...progress, kept: keptIn(folded) }),
    )
  }

  /** Each subject of a failed slice is folded alone. Throws when the slice is to be tried again as a whole or in parts. */
  async #recover(slice: Slice, error: unknown): Promise<void> {
    this.forget()
    const cause = failureCause(error)
    if (cause === 'machine') throw error
    if (cause === 'time-limit') {
      const givenUp = this.#size.afterTimeout(slice.progress.count, slice.ids.length)
      const [id] = slice.ids
      if (!givenUp || id === undefined) throw error
      await this.#giveUp(id, slice.progress, error)
      await this.#saveProgress(slice.progress)
    } else await this.#foldEachAlone(slice)
  }

  async #foldEachAlone({ ids, progress }: Slice): Promise<void> {
    let kept = 0
    for (const id of ids) {
      const one = { ids: [id], subjects: new Set([id]), progress: { ...progress, parts: [] } }
      try {
        const folded = await this.#foldSubjects([id])
        await this.#write(one, folded)
        kept += keptIn(folded)
      } catch (error) {
        if (failureCause(error) !== 'delivery') throw error
        await this.#giveUp(id, progress, error)
      }
    }
    await this.#saveProgress({ ...progress, kept })
  }

  /** The deliveries of a subject that cannot be rebuilt become dead letters. */
  async #giveUp(id: string, { rebuild }: SliceProgress, error: unknown): Promise<void> {
    const { pool, leases } = this.#context
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ subject: id, err: error }, 'A subject could not be rebuilt, its deliveries are dead letters')
    await writeChanges(pool, leases.held, emptyWrite, (client) =>
      writeSubjectAsDeadLetters(client, id, rebuild, reason),
    )
  }

  #saveProgress(progress: SliceProgress): Promise<void> {
    const { pool, leases } = this.#context
    return writeChanges(pool, leases.held, emptyWrite, (client) => saveProgress(client, progress))
  }

  async #sliceOfLog(part: RebuildPart): Promise<boolean> {
    const { pool, leases } = this.#context
    await this.finishWriting()
    if ((await countPendingOfRun(pool, part.rebuild)) >= maxQueued) return false
    const { last, missing } = await readNextMissing(pool, part.cursor)
    const finished = last === null && (await countPendingOfRun(pool, part.rebuild)) === 0
    if (last === null && !finished) return false
    const cursor = last ?? part.cursor
    await writeChanges(pool, leases.held, emptyWrite, async (client) => {
      await client.query(requeueForRun(missing, part.rebuild))
      await saveProgress(client, {
        rebuild: part.rebuild,
        parts: [part.part],
        cursor,
        count: 0,
        kept: 0,
        finished,
      })
    })
    const kept = finished ? await countKept(pool, part.rebuild) : 0
    if (kept > 0) log.info({ kept }, 'Deliveries that left the log were rebuilt from what is kept of them')
    this.#parts = finished ? [] : this.#parts.map((one) => (one === part ? { ...one, cursor } : one))
    return true
  }
}

/** `finishWriting` awaits the same promise and reports its error. */
const leaveToSettle = () => undefined

/** A slice holds subjects that are written together, and the progress after them. */
interface Slice {
  readonly ids: readonly string[]
  readonly subjects: ReadonlySet<string>
  readonly progress: SliceProgress
}

interface FoldedSubject {
  readonly changes: SubjectChanges
  readonly misfiled: readonly string[]
  readonly dropped: number
}

const keptIn = (folded: readonly FoldedSubject[]) => folded.reduce((sum, { dropped }) => sum + dropped, 0)

const byCursor = (a: RebuildPart, b: RebuildPart) =>
  a.cursor < b.cursor ? -1 : a.cursor > b.cursor ? 1 : a.part - b.part
