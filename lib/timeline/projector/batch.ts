import 'server-only'
import type pg from 'pg'
import type { PendingDelivery } from '#lib/deliveries/queue/take.ts'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { shardHash } from '#lib/deliveries/rules/shard.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/deliveries/rules/subject.ts'
import type { DeliveryEvidence } from '../rules/delivery-evidence.ts'
import { readDelivery } from './bodies.ts'
import { inChunks } from './give-way.ts'
import {
  type KnownSubject,
  type NewDelivery,
  nothingKnown,
  projectSubject,
  type SubjectChanges,
} from './project-subject.ts'
import { readEvidence } from './read-evidence.ts'
import { readFromLog } from './read-from-log.ts'
import { evidenceOf } from './stored-evidence.ts'
import type { SubjectCache } from './subject-cache.ts'

/** A pending delivery that was read; its body is no longer held. */
export interface ReadDelivery extends Omit<PendingDelivery, 'body'> {
  readonly logged: boolean
}

/** Pending deliveries of one subject. */
export interface SubjectGroup {
  readonly subject: Subject
  readonly deliveries: ReadDelivery[]
  readonly newDeliveries: NewDelivery[]
  /** The replay or rebuild that wants the subject read from the log. */
  // biome-ignore lint/plugin: set by the first delivery that belongs to a run
  run: string | null
}

/** What was taken from the queue, by subject. */
export interface Batch {
  readonly groups: readonly SubjectGroup[]
  /**
   * Deliveries with nothing left to do: retention dropped their body before they were folded, or their
   * subject was already read from the log for the same run.
   */
  readonly alreadyDone: readonly ReadDelivery[]
  /** The reading itself failed. */
  readonly unreadable: readonly { readonly id: string; readonly error: unknown }[]
  /** Deliveries of subjects whose shard is not held here, with the hash of the subject. */
  readonly misplaced: readonly { readonly id: string; readonly shard: number }[]
}

/** Reads what was taken. `isHeld` says of a subject's hash whether its shard is ours. */
export async function readBatch(
  pending: readonly PendingDelivery[],
  subjects: SubjectCache,
  isHeld: (hash: number) => boolean,
): Promise<Batch> {
  const groups = new Map<string, SubjectGroup>()
  const alreadyDone: ReadDelivery[] = []
  const unreadable: { id: string; error: unknown }[] = []
  const misplaced: { id: string; shard: number }[] = []
  const readOne = ({ body, ...rest }: PendingDelivery) => {
    const delivery = { ...rest, logged: body !== null }
    try {
      const read = body && readDelivery(body)
      const subject = read ? read.subject : parseSubjectId(delivery.subjectIds[0] ?? '')
      const hash = subject ? shardHash(subjectId(subject)) : 0
      if (!subject || isAlreadyRebuilt(delivery, subjects)) alreadyDone.push(delivery)
      else if (!isHeld(hash)) misplaced.push({ id: delivery.id, shard: hash })
      else addToGroup(groups, subject, delivery, read ? read.reading : null)
    } catch (error) {
      unreadable.push({ id: delivery.id, error })
    }
  }
  for await (const some of inChunks(pending, ({ body }) => body?.length ?? 0)) some.forEach(readOne)
  return { groups: [...groups.values()], alreadyDone, unreadable, misplaced }
}

const isAlreadyRebuilt = ({ run, answer, subjectIds: [id, ...more] }: ReadDelivery, subjects: SubjectCache) =>
  run !== null && answer === 'sure' && id !== undefined && more.length === 0 && subjects.wasRebuilt(id, run)

function addToGroup(
  groups: Map<string, SubjectGroup>,
  subject: Subject,
  delivery: ReadDelivery,
  reading: NewDelivery['reading'] | null,
): void {
  const key = subjectId(subject)
  const group = groups.get(key) ?? { subject, deliveries: [], newDeliveries: [], run: null }
  groups.set(key, group)
  group.deliveries.push(delivery)
  group.run ??= delivery.run
  if (!reading) return
  const { id, order, receivedAt, receiver, answer } = delivery
  group.newDeliveries.push({
    fact: { id, order, receivedAt, receiver, fingerprint: reading.fingerprint, answer },
    reading,
  })
}

/** A group and what its fold changes in the tables. */
export interface FoldedGroup {
  readonly group: SubjectGroup
  readonly changes: SubjectChanges
  /** What the tables will hold of the subject then. */
  readonly known: KnownSubject
  /** Deliveries stored under this subject whose bodies name another subject; their rows are removed. */
  readonly misfiled: readonly string[]
}

/** Folds each subject from its stored rows, or from the log when a rebuild or replay asks for that. */
export async function foldGroups(
  pool: pg.Pool,
  subjects: SubjectCache,
  groups: readonly SubjectGroup[],
): Promise<FoldedGroup[]> {
  const ids = (part: readonly SubjectGroup[]) => part.map(({ subject }) => subjectId(subject))
  const readsFromLog = ({ subject, run }: SubjectGroup) =>
    run !== null && !subjects.wasRebuilt(subjectId(subject), run)
  const [known, logged, evidence] = await Promise.all([
    subjects.load(ids(groups.filter((group) => !readsFromLog(group)))),
    readFromLog(pool, ids(groups.filter(readsFromLog))),
    readEvidence(
      pool,
      groups.flatMap(({ newDeliveries }) => newDeliveries),
    ),
  ])
  const fold = (group: SubjectGroup): FoldedGroup => {
    const id = subjectId(group.subject)
    const unsure = new Set(group.deliveries.filter(({ answer }) => answer === 'unsure').map((one) => one.id))
    const complete = readsFromLog(group)
    const before = (complete ? logged.get(id)?.known : known.get(id)) ?? nothingKnown
    const fromLog = logged.get(id)?.newDeliveries ?? []
    const newDeliveries = [...fromLog, ...withEvidence(group.newDeliveries, before, fromLog, evidence)]
    const folded = projectSubject(group.subject, before, newDeliveries, unsure, complete)
    return { group, ...folded, misfiled: logged.get(id)?.misfiled ?? [] }
  }
  const all: FoldedGroup[] = []
  for await (const part of inChunks(groups)) all.push(...part.map(fold))
  return all
}

/**
 * A delivery has the evidence that is known now for as long as a retry of it may come: something that reaches back may have
 * become known since it was first folded. Later it keeps what is stored. §6.8
 */
function withEvidence(
  newDeliveries: readonly NewDelivery[],
  { facts }: KnownSubject,
  logged: readonly NewDelivery[],
  evidence: ReadonlyMap<string, DeliveryEvidence>,
): NewDelivery[] {
  const inLog = new Map(logged.map(({ fact }) => [fact.id, fact]))
  return newDeliveries.map(({ fact, reading }) => {
    const before = facts.get(fact.id)?.fact ?? inLog.get(fact.id)
    const isSettled = before && Date.now() - fact.receivedAt > retryWindowSeconds * 1000
    const kept = before ? evidenceOf(before) : {}
    return { fact: { ...fact, ...((isSettled ? null : evidence.get(fact.id)) ?? kept) }, reading }
  })
}
