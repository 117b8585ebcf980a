import 'server-only'
import type pg from 'pg'
import type { DeliveryEvidence } from '#lib/domain/evidence.ts'
import { subjectId } from '#lib/domain/subject.ts'
import type { Group } from './gather.ts'
import { inTurns } from './in-turns.ts'
import { evidenceIn } from './kept-evidence.ts'
import type { KnownSubjects } from './known-subjects.ts'
import {
  type KnownSubject,
  type NewFact,
  nothingKnown,
  projectSubject,
  type SubjectChanges,
} from './project-subject.ts'
import { readEvidence } from './read-evidence.ts'
import { readFromLog } from './read-from-log.ts'

/** A group and what its fold changes in the tables. */
export interface FoldedGroup {
  readonly group: Group
  readonly changes: SubjectChanges
  /** What the tables will hold of the subject then. */
  readonly known: KnownSubject
  /** Deliveries whose rows it loses, since their bodies name another subject. */
  readonly elsewhere: readonly string[]
}

/** Folds each subject from what the tables hold of it; where a run wants it, from the log. */
export async function foldGroups(
  pool: pg.Pool,
  subjects: KnownSubjects,
  groups: readonly Group[],
): Promise<FoldedGroup[]> {
  const ids = (some: readonly Group[]) => some.map(({ subject }) => subjectId(subject))
  const isWhole = ({ subject, run }: Group) => run !== null && !subjects.wasRebuilt(subjectId(subject), run)
  const [known, logged, evidence] = await Promise.all([
    subjects.load(ids(groups.filter((group) => !isWhole(group)))),
    readFromLog(pool, ids(groups.filter(isWhole))),
    readEvidence(
      pool,
      groups.flatMap(({ news }) => news),
    ),
  ])
  const fold = (group: Group): FoldedGroup => {
    const id = subjectId(group.subject)
    const unsure = new Set(group.deliveries.filter(({ answer }) => answer === 'unsure').map((one) => one.id))
    const whole = isWhole(group)
    const before = (whole ? logged.get(id)?.known : known.get(id)) ?? nothingKnown
    const again = logged.get(id)?.news ?? []
    const news = [...again, ...withEvidence(group.news, before, again, evidence)]
    const folded = projectSubject(group.subject, before, news, unsure, whole)
    return { group, ...folded, elsewhere: logged.get(id)?.elsewhere ?? [] }
  }
  const all: FoldedGroup[] = []
  for await (const some of inTurns(groups)) all.push(...some.map(fold))
  return all
}

/** What was known when a delivery was first folded stays; only of what is folded for the first time it is read. */
function withEvidence(
  news: readonly NewFact[],
  { facts }: KnownSubject,
  logged: readonly NewFact[],
  evidence: ReadonlyMap<string, DeliveryEvidence>,
): NewFact[] {
  const kept = new Map(logged.map(({ fact }) => [fact.id, fact]))
  return news.map(({ fact, reading }) => {
    const before = facts.get(fact.id)?.fact ?? kept.get(fact.id)
    return { fact: { ...fact, ...(before ? evidenceIn(before) : evidence.get(fact.id)) }, reading }
  })
}
