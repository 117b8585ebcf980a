import 'server-only'
import type pg from 'pg'
import { parseSubjectId, type Subject, subjectId } from '#lib/domain/subject.ts'
import { faultOf } from './fault-of.ts'
import type { KnownSubjects } from './known-subjects.ts'
import type { Lease } from './lease.ts'
import { type KnownSubject, type NewFact, projectSubject } from './project-subject.ts'
import { readAnew } from './read-anew.ts'
import { readDelivery } from './read-delivery.ts'
import { type PendingDelivery, takePending } from './take-pending.ts'
import { setAside, writeChanges } from './write-changes.ts'

/** Pending deliveries of one subject; none where a rebuild only found rows of it that belong to another. */
interface Group {
  readonly subject: Subject
  readonly deliveries: PendingDelivery[]
  readonly news: NewFact[]
  /** The run of a rebuild that wants it made anew. */
  rebuild: string | null
}

/**
 * Folds up to `most` pending deliveries, one transaction for all; when that fails, one for each subject, and what
 * fails alone by its own fault is set aside. Throws `LeaseLost`, or when nothing can be folded now.
 * @returns how many were taken.
 */
export async function projectBatch(
  pool: pg.Pool,
  lease: Lease,
  subjects: KnownSubjects,
  most: number,
  log: (line: string) => void,
): Promise<number> {
  const pending = await takePending(pool, most)
  if (pending.length === 0) return 0
  const { groups, spent, unread } = gather(pending, subjects)
  for (const { id, error } of unread) await giveUp(pool, lease, [id], error, log)
  const all = [...groups.values()]
  try {
    await fold(pool, lease, subjects, all, spent)
  } catch (error) {
    subjects.clear()
    if (faultOf(error) === 'machine') throw error
    await foldEachAlone(pool, lease, subjects, all, log)
    if (spent.length > 0) await fold(pool, lease, subjects, [], spent)
  }
  return pending.length
}

/** What others were in the way of stays pending. Throws when they were in the way of everything. */
async function foldEachAlone(
  pool: pg.Pool,
  lease: Lease,
  subjects: KnownSubjects,
  groups: readonly Group[],
  log: (line: string) => void,
) {
  const hindered: unknown[] = []
  for (const group of groups) {
    try {
      await fold(pool, lease, subjects, [group], [])
    } catch (error) {
      subjects.clear()
      const fault = faultOf(error)
      if (fault === 'machine') throw error
      const ids = group.deliveries.map(({ id }) => id)
      if (fault === 'delivery') await giveUp(pool, lease, ids, error, log)
      else hindered.push(error)
    }
  }
  if (hindered.length > 0 && hindered.length === groups.length) throw hindered[0]
}

function giveUp(
  pool: pg.Pool,
  lease: Lease,
  ids: readonly string[],
  error: unknown,
  log: (line: string) => void,
) {
  const reason = error instanceof Error ? error.message : String(error)
  log(`${ids.length} deliveries from ${ids[0]} on could not be folded and were set aside: ${reason}`)
  return setAside(pool, lease, ids, reason)
}

async function fold(
  pool: pg.Pool,
  lease: Lease,
  subjects: KnownSubjects,
  groups: readonly Group[],
  spent: readonly PendingDelivery[],
): Promise<void> {
  const folds = await foldGroups(pool, subjects, groups)
  const deliveries = [...groups.flatMap((group) => group.deliveries), ...spent]
  await writeChanges(pool, lease, {
    changes: folds.map(({ changes }) => changes),
    told: folds.filter(({ group }) => hasOwnNews(group)).map(({ changes }) => changes),
    folded: deliveries,
    takenAsSure: deliveries.filter(({ answer }) => answer === 'sure').map(({ id }) => id),
    lastOnReceiver: lastOnReceiver(deliveries),
  })
  for (const { group, changes, known } of folds)
    subjects.keep(changes.subjectId, known, changes.whole ? group.rebuild : null)
}

/** From what the tables hold; subjects that a rebuild has not made yet, from the log. */
async function foldGroups(pool: pg.Pool, subjects: KnownSubjects, groups: readonly Group[]) {
  const isAnew = ({ subject, rebuild }: Group) =>
    rebuild !== null && !subjects.wasRebuilt(subjectId(subject), rebuild)
  const ids = (some: readonly Group[]) => some.map(({ subject }) => subjectId(subject))
  const [known, anew] = await Promise.all([
    subjects.load(ids(groups.filter((group) => !isAnew(group)))),
    readAnew(pool, ids(groups.filter(isAnew))),
  ])
  return groups.map((group) => {
    const id = subjectId(group.subject)
    const whole = isAnew(group)
    const before = (whole ? anew.get(id)?.known : known.get(id)) ?? nothingKnown
    return { group, ...project(group, before, anew.get(id)?.news ?? [], whole) }
  })
}

function project(
  { subject, deliveries, news }: Group,
  known: KnownSubject,
  logged: readonly NewFact[],
  whole: boolean,
) {
  const unsure = deliveries.filter(({ answer }) => answer === 'unsure').map(({ id }) => id)
  const inOrder = [...logged, ...news].sort((a, b) => (a.fact.order < b.fact.order ? -1 : 1))
  return projectSubject(subject, known, inOrder, new Set(unsure), whole)
}

const hasOwnNews = ({ deliveries }: Group) => deliveries.some(({ rebuild }) => rebuild === null)

/**
 * By subject. Nothing is to be made of what is spent: the log dropped it before it was ever folded, or its subject was
 * made anew, with all that the log holds, in this run of a rebuild. `unread` made the reading itself fail.
 */
function gather(pending: readonly PendingDelivery[], subjects: KnownSubjects) {
  const groups = new Map<string, Group>()
  const spent: PendingDelivery[] = []
  const unread: { id: string; error: unknown }[] = []
  for (const delivery of pending) {
    try {
      if (wasCovered(delivery, subjects) || !join(groups, delivery)) spent.push(delivery)
    } catch (error) {
      unread.push({ id: delivery.id, error })
    }
  }
  return { groups, spent, unread }
}

const wasCovered = (
  { rebuild, answer, subjectIds: [id, ...more] }: PendingDelivery,
  subjects: KnownSubjects,
) =>
  rebuild !== null &&
  answer === 'sure' &&
  id !== undefined &&
  more.length === 0 &&
  subjects.wasRebuilt(id, rebuild)

function join(groups: Map<string, Group>, delivery: PendingDelivery): boolean {
  const { body, id, order, receivedAt, receiver, answer, rebuild, subjectIds } = delivery
  const read = body && readDelivery(body)
  const subject = read ? read.subject : parseSubjectId(subjectIds[0] ?? '')
  if (!subject) return false
  const group = groupOf(groups, subject)
  group.deliveries.push(delivery)
  if (body && read) {
    const { reading } = read
    const { fingerprint } = reading
    group.news.push({ fact: { id, order, receivedAt, receiver, fingerprint, answer }, body, reading })
  }
  if (rebuild !== null) {
    const everywhere = [subject, ...subjectIds.flatMap((text) => parseSubjectId(text) ?? [])]
    for (const one of everywhere) groupOf(groups, one).rebuild = rebuild
  }
  return true
}

function groupOf(groups: Map<string, Group>, subject: Subject): Group {
  const key = subjectId(subject)
  const group = groups.get(key) ?? { subject, deliveries: [], news: [], rebuild: null }
  groups.set(key, group)
  return group
}

function lastOnReceiver(deliveries: readonly PendingDelivery[]): Map<string, number> {
  const last = new Map<string, number>()
  for (const { receiver, receivedAt, body } of deliveries) {
    if (body) last.set(receiver, Math.max(last.get(receiver) ?? 0, receivedAt))
  }
  return last
}

const nothingKnown: KnownSubject = { facts: new Map(), events: new Map(), transactionKey: null }
