import 'server-only'
import type { PendingDelivery } from '#lib/deliveries/queue/take.ts'
import { shardHash } from '#lib/deliveries/rules/shard.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/deliveries/rules/subject.ts'
import { inChunks } from './in-chunks.ts'
import type { NewDelivery } from './project-subject.ts'
import { readDelivery } from './read-delivery.ts'
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
