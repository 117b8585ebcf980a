import 'server-only'
import type pg from 'pg'
import { subjectId } from '#lib/domain/subject.ts'
import type { Group } from './gather.ts'
import type { KnownSubjects } from './known-subjects.ts'
import { type KnownSubject, nothingKnown, projectSubject, type SubjectChanges } from './project-subject.ts'
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
  const [known, logged] = await Promise.all([
    subjects.load(ids(groups.filter((group) => !isWhole(group)))),
    readFromLog(pool, ids(groups.filter(isWhole))),
  ])
  return groups.map((group) => {
    const id = subjectId(group.subject)
    const unsure = new Set(group.deliveries.filter(({ answer }) => answer === 'unsure').map((one) => one.id))
    const whole = isWhole(group)
    const before = (whole ? logged.get(id)?.known : known.get(id)) ?? nothingKnown
    const news = [...(logged.get(id)?.news ?? []), ...group.news]
    const folded = projectSubject(group.subject, before, news, unsure, whole)
    return { group, ...folded, elsewhere: logged.get(id)?.elsewhere ?? [] }
  })
}
