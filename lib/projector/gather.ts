import 'server-only'
import { shardHash } from '#lib/domain/shard.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/domain/subject.ts'
import type { PendingDelivery } from '#lib/queue/take.ts'
import { inTurns } from './in-turns.ts'
import type { KnownSubjects } from './known-subjects.ts'
import type { NewFact } from './project-subject.ts'
import { readDelivery } from './read-delivery.ts'

/** A pending delivery that was read; its body is no longer held. */
export interface TakenDelivery extends Omit<PendingDelivery, 'body'> {
  readonly logged: boolean
}

/** Pending deliveries of one subject. */
export interface Group {
  readonly subject: Subject
  readonly deliveries: TakenDelivery[]
  readonly news: NewFact[]
  /** The replay or rebuild that wants the subject read from the log. */
  run: string | null
}

/** What was taken from the queue, by subject. */
export interface Batch {
  readonly groups: readonly Group[]
  /**
   * Nothing is left to do for these: the log dropped them before they were ever folded, or their subject was read from
   * the log, with all that it holds, for the same run already.
   */
  readonly alreadyDone: readonly TakenDelivery[]
  /** The reading itself failed. */
  readonly unreadable: readonly { readonly id: string; readonly error: unknown }[]
  /** Their subjects belong to shards that are not held, with the hash of the subject. */
  readonly misplaced: readonly { readonly id: string; readonly shard: number }[]
}

/** Reads what was taken. `isHeld` says of a subject's hash whether its shard is ours. */
export async function gather(
  pending: readonly PendingDelivery[],
  subjects: KnownSubjects,
  isHeld: (hash: number) => boolean,
): Promise<Batch> {
  const groups = new Map<string, Group>()
  const alreadyDone: TakenDelivery[] = []
  const unreadable: { id: string; error: unknown }[] = []
  const misplaced: { id: string; shard: number }[] = []
  const take = ({ body, ...rest }: PendingDelivery) => {
    const delivery = { ...rest, logged: body !== null }
    try {
      const read = body && readDelivery(body)
      const subject = read ? read.subject : parseSubjectId(delivery.subjectIds[0] ?? '')
      const hash = subject ? shardHash(subjectId(subject)) : 0
      if (!subject || wasCovered(delivery, subjects)) alreadyDone.push(delivery)
      else if (!isHeld(hash)) misplaced.push({ id: delivery.id, shard: hash })
      else join(groups, subject, delivery, read ? read.reading : null)
    } catch (error) {
      unreadable.push({ id: delivery.id, error })
    }
  }
  for await (const some of inTurns(pending)) some.forEach(take)
  return { groups: [...groups.values()], alreadyDone, unreadable, misplaced }
}

const wasCovered = ({ run, answer, subjectIds: [id, ...more] }: TakenDelivery, subjects: KnownSubjects) =>
  run !== null && answer === 'sure' && id !== undefined && more.length === 0 && subjects.wasRebuilt(id, run)

function join(
  groups: Map<string, Group>,
  subject: Subject,
  delivery: TakenDelivery,
  reading: NewFact['reading'] | null,
): void {
  const key = subjectId(subject)
  const group = groups.get(key) ?? { subject, deliveries: [], news: [], run: null }
  groups.set(key, group)
  group.deliveries.push(delivery)
  group.run ??= delivery.run
  if (!reading) return
  const { id, order, receivedAt, receiver, answer } = delivery
  group.news.push({
    fact: { id, order, receivedAt, receiver, fingerprint: reading.fingerprint, answer },
    reading,
  })
}
