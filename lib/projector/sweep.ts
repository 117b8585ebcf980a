import 'server-only'
import type pg from 'pg'
import { rulesVersion } from '#lib/domain/rules-version.ts'
import { shardHash } from '#lib/domain/shard.ts'
import { parseSubjectId } from '#lib/domain/subject.ts'
import { logOf } from '#lib/log.ts'
import { markDeadLetters } from '#lib/queue/mark-dead-letters.ts'
import { puttingAgain } from '#lib/queue/put.ts'
import { countOfRun, isQueued } from '#lib/queue/read-state.ts'
import { lowestId } from '#lib/queue/take.ts'
import { faultOf } from './fault-of.ts'
import { inTurns } from './in-turns.ts'
import type { Work } from './pipeline.ts'
import { nothingKnown, projectSubject, type SubjectChanges } from './project-subject.ts'
import { readFromLog } from './read-from-log.ts'
import { shardOfLease } from './shard-leases.ts'
import { nothingToWrite } from './statements.ts'
import { writeChanges } from './write-changes.ts'

const log = logOf('projector')

/** Deliveries of one transaction, about: a subject is never divided. */
const sliceSize = 2_000

/** Subjects that are looked at in one step. */
const mostSubjects = 1_000

/** Deliveries of the log that are looked at in one step, and that may wait to be read again. */
const logPage = 5_000
const mostWaiting = 2_000

/** Milliseconds between two looks whether a rebuild wants anything. */
const lookEvery = 500

/**
 * This process's part of a rebuild, slice by slice beside its other work: the subjects of its shards in the order of
 * their ids, each read from the log and written whole. How far it came is written with each slice. When the
 * subjects are done, whoever has the first shard looks through the log for deliveries that no subject has. Decision 0030.
 */
export class Sweep {
  readonly #work: Work
  #lookedAt = Number.NEGATIVE_INFINITY
  #parts: readonly Part[] = []
  #writing: { readonly slice: Slice; readonly done: Promise<void> } | null = null

  constructor(work: Work) {
    this.#work = work
  }

  /** The next call looks whether there is a rebuild. */
  look(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  /** Other shards are held than before. To be called while nothing is being written. */
  forget(): void {
    this.#parts = []
    this.look()
  }

  /** Ends when nothing is being written. Throws `LeaseLost`, or when nothing can be written now. */
  async settle(): Promise<void> {
    const writing = this.#writing
    this.#writing = null
    if (!writing) return
    try {
      await writing.done
    } catch (error) {
      this.forget()
      if (faultOf(error) === 'machine') throw error
      await this.#foldEachAlone(writing.slice)
    }
  }

  /** Ends when nothing of these subjects is being written. Throws like `settle`. */
  async settleOf(subjectIds: readonly string[]): Promise<void> {
    const writing = this.#writing
    if (writing && subjectIds.some((id) => writing.slice.subjects.has(id))) await this.settle()
  }

  /**
   * Works on one slice. False when there is nothing to do at the moment.
   * @param beforeFold ends what others are writing of these subjects
   */
  async slice(beforeFold: (subjectIds: readonly string[]) => Promise<void>): Promise<boolean> {
    if (performance.now() - this.#lookedAt >= lookEvery) {
      await this.settle()
      this.#parts = await this.#open()
      this.#lookedAt = performance.now()
    }
    const first = this.#parts.filter(({ kind }) => kind === 'subjects').toSorted(byCursor)[0]
    if (first) {
      const parts = this.#parts.filter((part) => isBeside(part, first))
      return this.#sliceOfSubjects(parts, beforeFold)
    }
    const log = this.#parts.find(({ kind }) => kind === 'log')
    return log ? this.#sliceOfLog(log) : false
  }

  /** The parts of this process's shards that are not finished, of a rebuild by our own rules. */
  async #open(): Promise<Part[]> {
    const { pool, leases, shards } = this.#work
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

  /** Parts that stand at the same subject go on together. */
  async #sliceOfSubjects(
    parts: readonly Part[],
    beforeFold: (subjectIds: readonly string[]) => Promise<void>,
  ): Promise<boolean> {
    const { pool, shards } = this.#work
    const [{ rebuild, cursor } = { rebuild: '', cursor: '' }] = parts
    const held = new Set(parts.map(({ part }) => part))
    const page = await pool.query<{ subject_id: string; n: number }>({
      name: 'next-subjects',
      text: NEXT_SUBJECTS,
      values: [cursor, mostSubjects],
    })
    const { ids, last, count } = firstOf(page.rows, (id) => held.has(shardHash(id) % shards))
    const moved = { rebuild, parts: [...held], cursor: last ?? cursor, count, finished: last === null }
    const slice = { ids, subjects: new Set(ids), moved }
    await beforeFold(ids)
    const folded = await this.#fold(slice)
    await this.settle()
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

  /** Null when it failed, and was done in another way. */
  async #fold(slice: Slice): Promise<FoldedSubject[] | null> {
    try {
      return await this.#foldSubjects(slice.ids)
    } catch (error) {
      await this.settle()
      this.forget()
      if (faultOf(error) === 'machine') throw error
      await this.#foldEachAlone(slice)
      return null
    }
  }

  async #foldSubjects(ids: readonly string[]): Promise<FoldedSubject[]> {
    const { pool, subjects } = this.#work
    const logged = await readFromLog(pool, ids)
    const fold = (id: string): FoldedSubject[] => {
      // What is kept in memory may be wrong, if the rows are.
      subjects.forget(id)
      const subject = parseSubjectId(id)
      if (!subject) return []
      const { known, news, elsewhere } = logged.get(id) ?? { known: nothingKnown, news: [], elsewhere: [] }
      return [{ ...projectSubject(subject, known, news, new Set(), true), elsewhere }]
    }
    const folded: FoldedSubject[] = []
    for await (const some of inTurns(ids)) folded.push(...some.flatMap(fold))
    return folded
  }

  #write({ moved }: Slice, folded: readonly FoldedSubject[]): Promise<void> {
    const { pool, leases } = this.#work
    const writing = {
      ...nothingToWrite,
      changes: folded.map(({ changes }) => changes),
      again: folded.flatMap(({ elsewhere }) => elsewhere.map((id) => ({ id, run: moved.rebuild }))),
    }
    return writeChanges(pool, leases.held, writing, (client) => moveOn(client, moved))
  }

  /** Of a subject that fails alone by its own fault, the deliveries become dead letters. */
  async #foldEachAlone({ ids, moved }: Slice): Promise<void> {
    const { pool, leases } = this.#work
    for (const id of ids) {
      const one = { ids: [id], subjects: new Set([id]), moved: { ...moved, parts: [] } }
      try {
        await this.#write(one, await this.#foldSubjects([id]))
      } catch (error) {
        if (faultOf(error) !== 'delivery') throw error
        const reason = error instanceof Error ? error.message : String(error)
        log.error(
          { subject: id, err: error },
          'A subject could not be rebuilt, its deliveries are dead letters',
        )
        await writeChanges(pool, leases.held, nothingToWrite, (client) =>
          writeSubjectAsDeadLetters(client, id, moved.rebuild, reason),
        )
      }
    }
    await writeChanges(pool, leases.held, nothingToWrite, (client) => moveOn(client, moved))
  }

  async #sliceOfLog(part: Part): Promise<boolean> {
    const { pool, leases } = this.#work
    await this.settle()
    if ((await countOfRun(pool, part.rebuild)) >= mostWaiting) return false
    const { rows } = await pool.query<{ last: string | null; missing: string[] }>({
      name: 'next-missing',
      text: NEXT_MISSING,
      values: [part.cursor === '' ? lowestId : part.cursor, logPage],
    })
    const { last, missing } = rows[0] ?? { last: null, missing: [] }
    const finished = last === null && (await countOfRun(pool, part.rebuild)) === 0
    if (last === null && !finished) return false
    const cursor = last ?? part.cursor
    await writeChanges(pool, leases.held, nothingToWrite, async (client) => {
      await client.query(puttingAgain(missing, part.rebuild))
      await moveOn(client, { rebuild: part.rebuild, parts: [part.part], cursor, count: 0, finished })
    })
    this.#parts = finished ? [] : this.#parts.map((one) => (one === part ? { ...one, cursor } : one))
    return true
  }
}

/** `settle` waits for the same promise and is told. */
const leaveToSettle = () => undefined

/** Subjects that are written together, and how far the rebuild is then. */
interface Slice {
  readonly ids: readonly string[]
  readonly subjects: ReadonlySet<string>
  readonly moved: Moved
}

interface FoldedSubject {
  readonly changes: SubjectChanges
  readonly elsewhere: readonly string[]
}

interface Moved {
  readonly rebuild: string
  readonly parts: readonly number[]
  readonly cursor: string
  /** Deliveries of the slice. */
  readonly count: number
  readonly finished: boolean
}

/** Writes how far it came, and with the last part that everything was rebuilt. */
async function moveOn(client: pg.ClientBase, { rebuild, parts, cursor, count, finished }: Moved) {
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
  await client.query(puttingAgain(ids, rebuild))
  await markDeadLetters(client, ids, reason)
}

interface Part {
  readonly rebuild: string
  readonly part: number
  readonly kind: 'subjects' | 'log'
  /** The last subject, or the last delivery of the log, that is done. */
  readonly cursor: string
}

const byCursor = (a: Part, b: Part) => (a.cursor < b.cursor ? -1 : a.cursor > b.cursor ? 1 : a.part - b.part)

const isBeside = (part: Part, first: Part) => part.kind === first.kind && part.cursor === first.cursor

/** As many subjects as have about a slice of deliveries; `last` is the last one looked at, null when there is none. */
function firstOf(
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
  WHERE finished_at IS NULL AND rules = $1 AND NOT finished AND part = ANY($2::smallint[])`

/** By the primary key alone. The order is that of the key, whatever the language of the database. */
const NEXT_SUBJECTS = `
  SELECT subject_id, count(*)::int AS n FROM event_delivery WHERE subject_id > $1
  GROUP BY subject_id ORDER BY subject_id LIMIT $2`

const NEXT_MISSING = `
  WITH page AS MATERIALIZED (
    SELECT id FROM delivery WHERE id > $1::uuid ORDER BY id LIMIT $2
  )
  SELECT (SELECT max(id::text) FROM page) AS last,
         coalesce(array_agg(id) FILTER (WHERE missing), '{}') AS missing
  FROM (
    SELECT id, NOT EXISTS (SELECT FROM event_delivery WHERE delivery_id = id)
           AND NOT ${isQueued('id')} AS missing
    FROM page
  ) AS looked`

const MOVE_ON = `
  UPDATE rebuild_part SET cursor = $3, done = done + CASE WHEN part = ($2::smallint[])[1] THEN $4 ELSE 0 END, finished = $5
  WHERE rebuild_id = $1 AND part = ANY($2::smallint[])`

/** The last part makes the rows those of its rules. */
const FINISH = `
  WITH ended AS (
    UPDATE rebuild SET finished_at = clock_timestamp()
    WHERE id = $1 AND finished_at IS NULL
      AND NOT EXISTS (SELECT FROM rebuild_part WHERE rebuild_id = $1 AND NOT finished)
    RETURNING rules
  )
  INSERT INTO setting (key, value) SELECT 'rules', to_jsonb(rules) FROM ended
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`
