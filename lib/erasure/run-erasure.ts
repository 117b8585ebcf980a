import 'server-only'
import type pg from 'pg'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/db/in-transaction.ts'
import { releaseLeases } from '#lib/db/lease.ts'
import { overwriteBodies } from '#lib/projector/overwrite-bodies.ts'
import { noCallSource } from '#lib/request/request-context.ts'
import { eraseLinks } from '#lib/search/search-link.ts'
import { eraseBodyOf, eraseSubjects } from './erase-subjects.ts'
import {
  acquireErasure,
  type ErasureCounts,
  type ErasurePlace,
  finishErasure,
  holdErasure,
  type RunningErasure,
  saveErasure,
} from './erasure-store.ts'
import { isSearchFor } from './is-search-for.ts'

/** Subjects of one transaction, in which no projector writes. */
const subjectsOfStep = 20

/** Bodies and events that one step looks at. */
const bodiesOfStep = 500
const eventsOfStep = 5_000

/** What a step did. */
interface Step extends ErasureCounts {
  readonly position: string
  /** Nothing is left of this stage. */
  readonly finished: boolean
}

/**
 * Removes a person from what was made of deliveries, step by step beside everything else: first the subjects that name
 * them, then whatever else in the log or beside it, and what was searched for, holds one of their values. A crash loses one
 * step at most.
 * @returns null when somebody else runs it, or when it is done
 */
export async function runErasure(
  pool: pg.Pool,
  id: string,
  onStep: (counts: ErasureCounts) => void = () => undefined,
): Promise<ErasureCounts | null> {
  const acquired = await acquireErasure(pool, id)
  if (!acquired) return null
  const { erasure, place } = acquired
  try {
    return await stepThrough(pool, erasure, place, onStep)
  } finally {
    await releaseLeases(pool, [erasure.lease])
  }
}

async function stepThrough(
  pool: pg.Pool,
  erasure: RunningErasure,
  begun: ErasurePlace,
  onStep: (counts: ErasureCounts) => void,
): Promise<ErasureCounts> {
  let place: ErasurePlace | null = begun
  while (place) {
    const { next, done } = await takeStep(pool, erasure, place)
    onStep(done)
    place = next
  }
  return end(pool, erasure)
}

/** @returns where the next step begins; null after the last */
function takeStep(pool: pg.Pool, erasure: RunningErasure, { stage, position }: ErasurePlace) {
  return inTransaction(pool, async (tx) => {
    await holdErasure(tx, erasure)
    const { step, next: following } = stages[stage]
    const done = await step(tx, erasure, position)
    const reached: ErasurePlace =
      done.finished && following ? { stage: following, position: '' } : { stage, position: done.position }
    await saveErasure(tx, erasure, reached, done)
    return { next: done.finished && !following ? null : reached, done }
  })
}

/** Forgets who it was, and writes down that it was done. */
const end = (pool: pg.Pool, erasure: RunningErasure): Promise<ErasureCounts> =>
  inTransaction(pool, async (tx) => {
    await holdErasure(tx, erasure)
    const counts = await finishErasure(tx, erasure)
    const entry = { actor: commandLine, action: 'user.erase', target: erasure.id, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { ...counts } }, noCallSource)
    return counts
  })

const stages = {
  subjects: { step: eraseNamed, next: 'log' },
  log: { step: eraseInLog, next: 'events' },
  events: { step: eraseInEvents, next: 'links' },
  // By now all values of the person are known.
  links: { step: eraseInLinks, next: null },
} as const

async function eraseNamed(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const { rows } = await tx.query<{ subject_id: string }>(NAMED, [erasure.userUuid, subjectsOfStep])
  const ids = rows.map(({ subject_id }) => subject_id)
  const looked = ids.join(' ')
  if (looked !== '' && looked === position)
    throw new Error(`An erasure does not get past ${ids.length} subjects`)
  return { ...(await eraseSubjects(tx, erasure, ids)), position: looked, finished: ids.length === 0 }
}

async function eraseInLog(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const { rows } = await tx.query<{ id: string; body: Buffer; page: number }>(LOGGED, [
    position === '' ? lowestId : position,
    bodiesOfStep,
  ])
  const found = new Map(
    rows.flatMap(({ id, body }) => {
      const erased = eraseBodyOf(erasure, body)
      return erased ? [[id, erased] as const] : []
    }),
  )
  const { rows: carried } = await tx.query<{ subject_id: string }>(SUBJECTS_OF, [[...found.keys()]])
  const counts = await eraseSubjects(
    tx,
    erasure,
    carried.map(({ subject_id }) => subject_id),
  )
  // What no subject has yet: dead letters, and what waits while nobody folds.
  await overwriteBodies(tx, found)
  const deliveries = Math.max(counts.deliveries, found.size)
  const finished = wasLast(rows.length, rows[0]?.page ?? 0, bodiesOfStep)
  return { ...counts, deliveries, position: rows.at(-1)?.id ?? position, finished }
}

async function eraseInEvents(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const { rows } = await tx.query<{ last: string | null; page: number; kept: KeptBody[] | null }>(KEPT, [
    position === '' ? lowestId : position,
    eventsOfStep,
  ])
  const { last = null, page = 0, kept = [] } = rows[0] ?? {}
  const ids = (kept ?? []).flatMap(({ subject_id, body }) =>
    eraseBodyOf(erasure, Buffer.from(body, 'base64')) ? [subject_id] : [],
  )
  const counts = await eraseSubjects(tx, erasure, [...new Set(ids)])
  return { ...counts, position: last ?? position, finished: wasLast(page, page, eventsOfStep) }
}

/**
 * Whether a step saw all that was there when it looked. What comes in meanwhile is the projectors' to erase: to wait until
 * nothing does would never end beside steady deliveries.
 */
const wasLast = (looked: number, page: number, most: number): boolean => looked === page && page < most

async function eraseInLinks(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const last = await eraseLinks(tx, position, (text) => isSearchFor(text, erasure))
  return { subjects: 0, deliveries: 0, position: last ?? position, finished: last === null }
}

interface KeptBody {
  readonly subject_id: string
  readonly body: string
}

const lowestId = '00000000-0000-0000-0000-000000000000'

const NAMED = `
  SELECT DISTINCT subject_id FROM (
    (SELECT subject_id FROM event WHERE entity_uuid = $1 LIMIT 500)
    UNION ALL (SELECT subject_id FROM transaction WHERE user_uuid = $1 LIMIT $2)
    UNION ALL (SELECT subject_id FROM identifier WHERE value = $1 LIMIT $2)
  ) AS named ORDER BY subject_id LIMIT $2`

const LOGGED = `
  SELECT id, body, page FROM (
    SELECT id, body, count(*) OVER ()::int AS page, sum(octet_length(body)) OVER (ORDER BY id) AS bytes
    FROM (SELECT id, body FROM delivery WHERE id > $1::uuid ORDER BY id LIMIT $2) AS page
  ) AS looked WHERE bytes <= 8388608 OR bytes = octet_length(body) ORDER BY id`

const SUBJECTS_OF = `
  SELECT DISTINCT subject_id FROM event_delivery WHERE delivery_id = ANY($1::uuid[]) ORDER BY subject_id`

const KEPT = `
  WITH page AS MATERIALIZED (
    SELECT subject_id, id FROM event WHERE id > $1::uuid ORDER BY id LIMIT $2
  )
  SELECT (SELECT max(id::text) FROM page) AS last, (SELECT count(*)::int FROM page) AS page,
         (SELECT json_agg(json_build_object('subject_id', subject_id, 'body', encode(envelope, 'base64')))
          FROM event JOIN page USING (subject_id, id) WHERE envelope IS NOT NULL) AS kept`
