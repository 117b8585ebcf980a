import 'server-only'
import type pg from 'pg'
import type { PendingDelivery } from '#lib/deliveries/queue/take.ts'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { parseSubjectId, type Subject, shardHash, subjectId } from '#lib/deliveries/rules/subject.ts'
import {
  type DeliveryEvidence,
  deliveryEvidence,
  type OutagePeriod,
  type ReceiverPeriod,
} from '../rules/delivery-evidence.ts'
import { inChunks } from './batch-limits.ts'
import { readDelivery } from './bodies.ts'
import {
  type KnownSubject,
  type NewDelivery,
  nothingKnown,
  projectSubject,
  type SubjectChanges,
} from './project-subject.ts'
import { readFromLog } from './read-from-log.ts'
import { evidenceOf } from './rows.ts'
import type { SubjectCache } from './subject-cache.ts'

/** A pending delivery was read; its body is not kept in memory. */
export interface ReadDelivery extends Omit<PendingDelivery, 'body'> {
  readonly logged: boolean
}

/** A group holds the pending deliveries of one subject. */
export interface SubjectGroup {
  readonly subject: Subject
  readonly deliveries: ReadDelivery[]
  readonly newDeliveries: NewDelivery[]
  /** This replay or rebuild reads the subject from the log. */
  // biome-ignore lint/plugin: set by the first delivery that belongs to a run
  run: string | null
}

/** A batch holds the deliveries from the queue, by subject. */
export interface Batch {
  readonly groups: readonly SubjectGroup[]
  /**
   * Nothing is left to do for these deliveries: retention removed their body before they were folded, or their
   * subject was already read from the log for the same run.
   */
  readonly alreadyDone: readonly ReadDelivery[]
  /** Reading these deliveries threw, so they become dead letters. A body that is not JSON is no such failure. */
  readonly failed: readonly { readonly id: string; readonly error: unknown }[]
  /** The shards of these subjects are not held here; each has the hash of its subject. */
  readonly misplaced: readonly { readonly id: string; readonly shard: number }[]
}

/** The deliveries from the queue are read. `isHeld` says from a subject's hash whether its shard is ours. */
export async function readBatch(
  pending: readonly PendingDelivery[],
  subjects: SubjectCache,
  isHeld: (hash: number) => boolean,
): Promise<Batch> {
  const groups = new Map<string, SubjectGroup>()
  const alreadyDone: ReadDelivery[] = []
  const failed: { id: string; error: unknown }[] = []
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
      failed.push({ id: delivery.id, error })
    }
  }
  for await (const some of inChunks(pending, ({ body }) => body?.length ?? 0)) some.forEach(readOne)
  return { groups: [...groups.values()], alreadyDone, failed, misplaced }
}

/** New evidence about a delivery that waits came perhaps after its subject was rebuilt. */
const isAlreadyRebuilt = (
  { run, answer, version, subjectIds: [id, ...more] }: ReadDelivery,
  subjects: SubjectCache,
) =>
  run !== null &&
  answer === 'sure' &&
  version === 0 &&
  id !== undefined &&
  more.length === 0 &&
  subjects.wasRebuilt(id, run)

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

/** The group comes with the changes that its fold makes in the tables. */
export interface FoldedGroup {
  readonly group: SubjectGroup
  readonly changes: SubjectChanges
  /** The tables will hold this about the subject. */
  readonly known: KnownSubject
  /** These deliveries were stored under this subject, but their bodies name another; their rows are removed. */
  readonly misfiled: readonly string[]
}

/** Each subject is folded from its stored rows, or from the log when a rebuild or replay needs that. */
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
 * While a retry may still come, a delivery gets the evidence that is known now: news about earlier times may
 * have arrived since it was first folded. Later it keeps the stored evidence. §6.8
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

/** The evidence for these deliveries is read as it is known now, by delivery id. */
async function readEvidence(
  pool: pg.Pool,
  newDeliveries: readonly NewDelivery[],
): Promise<Map<string, DeliveryEvidence>> {
  if (newDeliveries.length === 0) return new Map()
  const since = newDeliveries.reduce(
    (first, { fact }) => Math.min(first, fact.receivedAt),
    Number.POSITIVE_INFINITY,
  )
  const from = new Date(since - retryWindowSeconds * 1000)
  const [periods, outages, refused] = await Promise.all([
    readPeriods(pool),
    readOutages(pool, from),
    readRefused(
      pool,
      newDeliveries.map(({ fact }) => fact.id),
      from,
    ),
  ])
  const evidence = new Map<string, DeliveryEvidence>()
  for (const { fact, reading } of newDeliveries) {
    const arrival = { ...fact, type: reading.envelope?.type ?? null }
    const found = deliveryEvidence(arrival, periods, outages, refused.get(fact.id) ?? [])
    if (found) evidence.set(fact.id, found)
  }
  return evidence
}

async function readPeriods(pool: pg.Pool): Promise<ReceiverPeriod[]> {
  const { rows } = await pool.query<{
    receiver_id: string
    began: number
    ended: number | null
    events: string[]
    lastSeen: number
  }>({ name: 'receiver-periods', text: PERIODS })
  return rows.map(({ receiver_id, began, ended, events, lastSeen }) => ({
    receiver: receiver_id,
    began,
    ended,
    events,
    lastSeenAt: lastSeen,
  }))
}

async function readOutages(pool: pg.Pool, from: Date): Promise<OutagePeriod[]> {
  const { rows } = await pool.query<{ receiver: string | null; began: number; ended: number | null }>({
    name: 'outages',
    text: OUTAGES,
    values: [from, reasonsThatAre('deferred'), reasonsThatAre('secret', 'closed')],
  })
  return rows.map(({ receiver, began, ended }) => ({
    receiver,
    began,
    ended: ended ?? Number.POSITIVE_INFINITY,
  }))
}

/** The bodies of these deliveries were answered 503 before, at these times, by delivery id. */
async function readRefused(
  pool: pg.Pool,
  ids: readonly string[],
  from: Date,
): Promise<Map<string, number[]>> {
  const { rows } = await pool.query<{ id: string; refused: number[] }>({
    name: 'refused-bodies',
    text: REFUSED,
    values: [ids, from],
  })
  return new Map(rows.map(({ id, refused }) => [id, refused]))
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

/** All periods are read, because the evidence of an old one must not depend on the deliveries that are folded together. */
const PERIODS = `
  SELECT receiver_id, ${ms('began_at')} AS began, ${ms('ended_at')} AS ended, events, ${ms('last_seen_at')} AS "lastSeen"
  FROM receiver_period`

const firstRefused = 'LEAST(COALESCE(first_at, minute), last_at)'

/** These are the moments before the first and after the last refusal of a minute. ASSUMED: our clocks differ by less than 2 s. */
const refusedSpan = `${ms(`${firstRefused} - interval '2 s'`)}, ${ms(`last_at + interval '2 s'`)}`

/**
 * While a new secret is awaited, strangers are answered 503 too. A delivery that the receiver took as it was then had no
 * other secret before. It may have had one that became known since. The minute is for clocks and deliveries on their way.
 */
const isStrangers = `
  why = 'secret-not-known-yet' AND EXISTS (
    SELECT FROM receiver
    WHERE receiver.id = refusal.receiver_id AND updated_at < ${firstRefused} - interval '1 minute'
  )`

/**
 * Attempts may have failed at these times: in our outages, however short; in minutes with refusals by a
 * receiver; in gaps in which nothing came. Wrong secrets and calls of a closed address count only within a gap, since anybody
 * can send them. A gap that was found to be none is no evidence.
 */
const OUTAGES = `
  SELECT receiver_id::text AS receiver, ${ms('began_at')} AS began, ${ms('ended_at')} AS ended
  FROM outage WHERE ended_at >= $1
  UNION ALL
  SELECT receiver_id::text, ${refusedSpan}
  FROM refusal WHERE minute >= $1::timestamptz - interval '1 minute' AND why = ANY($2) AND NOT (${isStrangers})
  UNION ALL
  SELECT about, ${refusedSpan}
  FROM gap JOIN refusal ON receiver_id = about::uuid AND last_at >= began_at AND minute <= COALESCE(ended_at, 'infinity')
  WHERE kind = 'refused' AND outcome IS DISTINCT FROM 'no-gap' AND (ended_at IS NULL OR ended_at >= $1)
    AND minute >= $1::timestamptz - interval '1 minute' AND why = ANY($3)
  UNION ALL
  SELECT nullif(about, ''), ${ms('began_at')}, ${ms('ended_at')}
  FROM gap
  WHERE kind IN ('down', 'restored', 'silent') AND outcome IS DISTINCT FROM 'no-gap' AND (ended_at IS NULL OR ended_at >= $1)`

/** Bodies are hashed only if there are digests to compare with. */
const REFUSED = `
  SELECT d.id, array_agg(${ms('r.at')} ORDER BY r.at) AS refused
  FROM delivery d JOIN refused_body r ON r.receiver_id = d.receiver_id AND r.digest = sha256(d.body)
  WHERE (SELECT true FROM refused_body WHERE at >= $2 LIMIT 1) AND d.id = ANY($1) AND r.at < d.received_at
  GROUP BY d.id`
