import 'server-only'
import type pg from 'pg'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import type { DeliveryEvidence } from '../rules/delivery-evidence.ts'
import { inChunks } from './in-chunks.ts'
import {
  type KnownSubject,
  type NewDelivery,
  nothingKnown,
  projectSubject,
  type SubjectChanges,
} from './project-subject.ts'
import type { SubjectGroup } from './read-batch.ts'
import { readEvidence } from './read-evidence.ts'
import { readFromLog } from './read-from-log.ts'
import { evidenceOf } from './stored-evidence.ts'
import type { SubjectCache } from './subject-cache.ts'

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
