import 'server-only'
import type pg from 'pg'
import { shardHash } from '#lib/domain/delivery/shard.ts'
import { parseSubjectId } from '#lib/domain/delivery/subject.ts'
import { rulesVersion } from '#lib/domain/timeline/rules-version.ts'
import { logOf } from '#lib/log.ts'
import { requeueForRun } from '#lib/queue/enqueue.ts'
import { markDeadLetters } from '#lib/queue/mark-dead-letters.ts'
import { countPendingOfRun, isQueued } from '#lib/queue/read-queue-state.ts'
import { lowestId } from '#lib/queue/take.ts'
import { failureCause } from './failure-cause.ts'
import { inChunks } from './in-chunks.ts'
import type { ProjectorContext } from './pipeline.ts'
import { nothingKnown, projectSubject, type SubjectChanges } from './project-subject.ts'
import { readFromLog } from './read-from-log.ts'
import { shardOfLease } from './shard-leases.ts'
import { emptyWrite } from './statements.ts'
import { writeChanges } from './write-changes.ts'

const log = logOf('projector')

/** Deliveries written in one transaction, roughly: a subject is never divided. */
const sliceSize = 2_000

/** Subjects that are read in one step. */
const maxSubjects = 1_000

/** Deliveries of the log that are scanned in one step, and the most that may be queued for it. */
const logPage = 5_000
const maxQueued = 2_000

/** Milliseconds between two checks for a rebuild. */
const checkEvery = 500

/**
 * This process's part of a rebuild, one slice at a time beside new deliveries: the subjects of its shards in
 * id order, each read from the log and written completely. Progress is stored with each slice. When all
 * subjects are done, the holder of shard 0 scans the log for deliveries that no subject has. Decision 0030.
 */
export class RebuildWorker {
  readonly #context: ProjectorContext
  #checkedAt = Number.NEGATIVE_INFINITY
  #parts: readonly Part[] = []
  #writing: { readonly runSlice: Slice; readonly done: Promise<void> } | null = null

  constructor(context: ProjectorContext) {
    this.#context = context
  }

  /** The next call checks whether there is a rebuild. */
  checkForRebuild(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY
  }

  /** Call it when the held shards have changed and nothing is being written. */
  forget(): void {
    this.#parts = []
    this.checkForRebuild()
  }

  /** Waits until nothing is being written. Throws `LeaseLost`, or when nothing can be written now. */
  async finishWriting(): Promise<void> {
    const writing = this.#writing
    this.#writing = null
    if (!writing) return
    try {
      await writing.done
    } catch (error) {
      this.forget()
      if (failureCause(error) === 'machine') throw error
      await this.#foldEachAlone(writing.runSlice)
    }
  }

  /** Waits until none of these subjects is being written. Throws like `finishWriting`. */
  async finishWritingOf(subjectIds: readonly string[]): Promise<void> {
    const writing = this.#writing
    if (writing && subjectIds.some((id) => writing.runSlice.subjects.has(id))) await this.finishWriting()
  }

  /**
   * Runs one slice. False when there is nothing to do now.
   * @param beforeFold waits for other writes of these subjects
   */
  async runSlice(beforeFold: (subjectIds: readonly string[]) => Promise<void>): Promise<boolean> {
    if (performance.now() - this.#checkedAt >= checkEvery) {
      await this.finishWriting()
      this.#parts = await this.#open()
      this.#checkedAt = performance.now()
    }
    const first = this.#parts.filter(({ kind }) => kind === 'subjects').toSorted(groupByCursor)[0]
    if (first) {
      const parts = this.#parts.filter((part) => isMisfiled(part, first))
      return this.#sliceOfSubjects(parts, beforeFold)
    }
    const log = this.#parts.find(({ kind }) => kind === 'log')
    return log ? this.#sliceOfLog(log) : false
  }

  /** The parts of this process's shards that are not finished, of a rebuild by our own rules. */
  async #open(): Promise<Part[]> {
    const { pool, leases, shards } = this.#context
    const held = leases.held.map(shardOfLease)
    const { rows } = await pool.query<{ rebuild: string; part: number; cursor: string }>({
      name: 'open-parts',
      text: OPEN,
      values: [rulesVersion, held.includes(0) ? [...held, shards] : held],
    })
    return rows.map(({ rebuild, part, cursor }) => ({
      rebuild,
      part,
      cursor,
      kind: part === shards ? 'log' : 'subjects',
    }))
  }

  /** Parts with the same cursor are processed together. */
  async #sliceOfSubjects(
    parts: readonly Part[],
    beforeFold: (subjectIds: readonly string[]) => Promise<void>,
  ): Promise<boolean> {
    const { pool, shards } = this.#context
    const [{ rebuild, cursor } = { rebuild: '', cursor: '' }] = parts
    const held = new Set(parts.map(({ part }) => part))
    const page = await pool.query<{ subject_id: string; n: number }>({
      name: 'next-subjects',
      text: NEXT_SUBJECTS,
      values: [cursor, maxSubjects],
    })
    const { ids, last, count } = sliceOf(page.rows, (id) => held.has(shardHash(id) % shards))
    const progress = { rebuild, parts: [...held], cursor: last ?? cursor, count, finished: last === null }
    const runSlice = { ids, subjects: new Set(ids), progress }
    await beforeFold(ids)
    const folded = await this.#fold(runSlice)
    await this.finishWriting()
    if (!folded) return true
    const done = this.#write(runSlice, folded)
    done.catch(leaveToSettle)
    this.#writing = { runSlice, done }
    this.#parts = this.#parts.flatMap((part) => {
      if (!parts.includes(part)) return [part]
      return last === null ? [] : [{ ...part, cursor: last }]
    })
    return true
  }

  /** Null when folding failed and each subject was folded alone instead. */
  async #fold(runSlice: Slice): Promise<FoldedSubject[] | null> {
    try {
      return await this.#foldSubjects(runSlice.ids)
    } catch (error) {
      await this.finishWriting()
      this.forget()
      if (failureCause(error) === 'machine') throw error
      await this.#foldEachAlone(runSlice)
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
      const { known, newDeliveries, misfiled } = logged.get(id) ?? {
        known: nothingKnown,
        newDeliveries: [],
        misfiled: [],
      }
      return [{ ...projectSubject(subject, known, newDeliveries, new Set(), true), misfiled: misfiled }]
    }
    const folded: FoldedSubject[] = []
    for await (const some of inChunks(ids)) folded.push(...some.flatMap(fold))
    return folded
  }

  #write({ progress }: Slice, folded: readonly FoldedSubject[]): Promise<void> {
    const { pool, leases } = this.#context
    const writing = {
      ...emptyWrite,
      changes: folded.map(({ changes }) => changes),
      again: folded.flatMap(({ misfiled }) => misfiled.map((id) => ({ id, run: progress.rebuild }))),
    }
    return writeChanges(pool, leases.held, writing, (client) => saveProgress(client, progress))
  }

  /** When a subject fails on its own, its deliveries become dead letters. */
  async #foldEachAlone({ ids, progress }: Slice): Promise<void> {
    const { pool, leases } = this.#context
    for (const id of ids) {
      const one = { ids: [id], subjects: new Set([id]), progress: { ...progress, parts: [] } }
      try {
        await this.#write(one, await this.#foldSubjects([id]))
      } catch (error) {
        if (failureCause(error) !== 'delivery') throw error
        const reason = error instanceof Error ? error.message : String(error)
        log.error(
          { subject: id, err: error },
          'A subject could not be rebuilt, its deliveries are dead letters',
        )
        await writeChanges(pool, leases.held, emptyWrite, (client) =>
          writeSubjectAsDeadLetters(client, id, progress.rebuild, reason),
        )
      }
    }
    await writeChanges(pool, leases.held, emptyWrite, (client) => saveProgress(client, progress))
  }

  async #sliceOfLog(part: Part): Promise<boolean> {
    const { pool, leases } = this.#context
    await this.finishWriting()
    if ((await countPendingOfRun(pool, part.rebuild)) >= maxQueued) return false
    const { rows } = await pool.query<{ last: string | null; missing: string[] }>({
      name: 'next-missing',
      text: NEXT_MISSING,
      values: [part.cursor === '' ? lowestId : part.cursor, logPage],
    })
    const { last, missing } = rows[0] ?? { last: null, missing: [] }
    const finished = last === null && (await countPendingOfRun(pool, part.rebuild)) === 0
    if (last === null && !finished) return false
    const cursor = last ?? part.cursor
    await writeChanges(pool, leases.held, emptyWrite, async (client) => {
      await client.query(requeueForRun(missing, part.rebuild))
      await saveProgress(client, { rebuild: part.rebuild, parts: [part.part], cursor, count: 0, finished })
    })
    this.#parts = finished ? [] : this.#parts.map((one) => (one === part ? { ...one, cursor } : one))
    return true
  }
}

/** `finishWriting` awaits the same promise and reports its error. */
const leaveToSettle = () => undefined

/** Subjects that are written together, and how far the rebuild is then. */
interface Slice {
  readonly ids: readonly string[]
  readonly subjects: ReadonlySet<string>
  readonly progress: SliceProgress
}

interface FoldedSubject {
  readonly changes: SubjectChanges
  readonly misfiled: readonly string[]
}

interface SliceProgress {
  readonly rebuild: string
  readonly parts: readonly number[]
  readonly cursor: string
  /** Deliveries of the slice. */
  readonly count: number
  readonly finished: boolean
}

/** Stores the progress; the last part also marks the rebuild as finished. */
async function saveProgress(
  client: pg.ClientBase,
  { rebuild, parts, cursor, count, finished }: SliceProgress,
) {
  await client.query({ name: 'move-on', text: MOVE_ON, values: [rebuild, parts, cursor, count, finished] })
  if (finished) await client.query(FINISH, [rebuild])
}

async function writeSubjectAsDeadLetters(
  client: pg.ClientBase,
  subjectId: string,
  rebuild: string,
  reason: string,
) {
  const { rows } = await client.query<{ id: string }>(
    'SELECT delivery_id AS id FROM event_delivery WHERE subject_id = $1',
    [subjectId],
  )
  const ids = rows.map(({ id }) => id)
  await client.query(requeueForRun(ids, rebuild))
  await markDeadLetters(client, ids, reason)
}

interface Part {
  readonly rebuild: string
  readonly part: number
  readonly kind: 'subjects' | 'log'
  /** The last subject, or the last delivery of the log, that is done. */
  readonly cursor: string
}

const groupByCursor = (a: Part, b: Part) =>
  a.cursor < b.cursor ? -1 : a.cursor > b.cursor ? 1 : a.part - b.part

const isMisfiled = (part: Part, first: Part) => part.kind === first.kind && part.cursor === first.cursor

/** As many subjects as have about a slice of deliveries; `last` is the last one read, null when there is none. */
function sliceOf(
  rows: readonly { readonly subject_id: string; readonly n: number }[],
  isWanted: (id: string) => boolean,
) {
  const ids: string[] = []
  let count = 0
  let last: string | null = null
  for (const { subject_id, n } of rows) {
    if (count >= sliceSize) break
    last = subject_id
    if (!isWanted(subject_id)) continue
    ids.push(subject_id)
    count += n
  }
  return { ids, count, last }
}

const OPEN = `
  SELECT rebuild_id AS rebuild, part::int, cursor FROM rebuild JOIN rebuild_part ON rebuild_id = rebuild.id
  WHERE finished_at IS NULL AND rules_version = $1 AND NOT finished AND part = ANY($2::smallint[])`

/** By the primary key alone. The order is that of the key, whatever the language of the database. */
const NEXT_SUBJECTS = `
  SELECT subject_id, count(*)::int AS n FROM event_delivery WHERE subject_id > $1
  GROUP BY subject_id ORDER BY subject_id LIMIT $2`

const NEXT_MISSING = `
  WITH page AS MATERIALIZED (
    SELECT id FROM delivery WHERE id > $1::uuid ORDER BY id LIMIT $2
  )
  SELECT (SELECT max(id::text) FROM page) AS last,
         COALESCE(array_agg(id) FILTER (WHERE missing), '{}') AS missing
  FROM (
    SELECT id, NOT EXISTS (SELECT FROM event_delivery WHERE delivery_id = id)
           AND NOT ${isQueued('id')} AS missing
    FROM page
  ) AS looked`

const MOVE_ON = `
  UPDATE rebuild_part SET cursor = $3, done = done + CASE WHEN part = ($2::smallint[])[1] THEN $4 ELSE 0 END, finished = $5
  WHERE rebuild_id = $1 AND part = ANY($2::smallint[])`

/** The last part records that all rows follow its rules. */
const FINISH = `
  WITH ended AS (
    UPDATE rebuild SET finished_at = clock_timestamp()
    WHERE id = $1 AND finished_at IS NULL
      AND NOT EXISTS (SELECT FROM rebuild_part WHERE rebuild_id = $1 AND NOT finished)
    RETURNING rules_version
  )
  INSERT INTO setting (key, value) SELECT 'rules-version', to_jsonb(rules_version) FROM ended
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`
