import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import {
  type Caller,
  type CallSource,
  noCallSource,
  requireFreshSignIn,
  requirePermission,
} from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { takeErasureLocks } from '#lib/identity/users/erasure-lock.ts'
import { personTerms, type TermSource, termSources } from '#lib/identity/users/person-texts.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { eraseLinks } from '#lib/search/search-link.ts'
import { overwriteBodies } from '#lib/timeline/projector/bodies.ts'
import { eraseBody } from '#lib/timeline/projector/erased-people.ts'
import { noteLostMonths } from '#lib/timeline/projector/lost-months.ts'
import { stopWrites } from '#lib/timeline/projector/shard-leases.ts'
import {
  acquireErasure,
  type ErasureCounts,
  type ErasurePlace,
  finishErasure,
  holdErasure,
  insertErasure,
  listUnfinished,
  type RunningErasure,
  saveErasure,
} from './erasure-store.ts'
import { linkPersonOf, readKept, readLogged } from './export-user.ts'
import { findTexts } from './find-texts.ts'
import { collectValues, holdsValue, parametersOf, toValue } from './person-values.ts'
import { rewriteSubjects } from './rewrite-subjects.ts'
import { removals, valueRemovals } from './tables.ts'

const log = logOf('erasure')

export const EraseUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/**
 * This erases a person: at once from the directory and from signing in, and from everything that was received as
 * soon as it was read through. It cannot be undone. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function eraseUser(
  caller: Caller,
  { userUuid, reason }: z.output<typeof EraseUserSchema>,
  source: CallSource,
): Promise<{ readonly erasureId: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  const erasureId = await inTransaction(pool(), async (tx) => {
    const id = await beginErasure(tx, userUuid)
    // The audit is kept, so it names the mark and not the person.
    const entry = { actor: caller, action: 'user.erase', target: id, outcome: 'begun', reason } as const
    await recordAudit(tx, entry, source)
    await tellAdmins(tx, { kind: 'person-erased', actor: caller, about: id, reason })
    return id
  })
  launchErasure(erasureId)
  return { erasureId }
}

/** The erasure runs in this process, beside everything else. The watcher resumes one that was interrupted. */
function launchErasure(erasureId: string): void {
  void runErasure(pool(), erasureId).catch((error: unknown) =>
    log.error({ erasure: erasureId, err: error }, 'An erasure was interrupted; it goes on within a minute'),
  )
}

/**
 * This removes a person from the directory and from everything about signing in, and leaves the mark: from now on
 * projectors remove the person from what arrives. `runErasure` removes the rest. Returns the id of the mark. Throws
 * `Refused`.
 */
export async function beginErasure(tx: Transaction, userUuid: string): Promise<string> {
  await refuseMembers(tx, userUuid)
  const { rows } = await tx.query<TermSource>(PERSON, [userUuid])
  const [person] = rows
  const email = person?.email ?? null
  const wallet = toValue(person?.target_address)
  const found = { userUuid, values: new Set([userUuid]), exact: new Set<string>() }
  if (wallet !== null) found.values.add(wallet)
  await collectValues(tx, found, [], email)
  const [values, exact] = [[...found.values], [...found.exact]]
  // All texts are read, which may take long: projectors go on meanwhile.
  const texts = await findTexts(tx, found)
  await takeErasureLocks(tx, userUuid)
  await stopWrites(tx)
  const terms = person ? personTerms(person) : []
  const { id, ...all } = await insertErasure(tx, userUuid, { values, exact, terms, email })
  const given = parametersOf(userUuid, all, texts)
  for (const { of, sql } of removals) await tx.query(sql, [...given[of]])
  return id
}

async function refuseMembers(tx: Transaction, userUuid: string) {
  const { rows } = await tx.query('SELECT FROM member WHERE user_uuid = $1 AND removed_at IS NULL', [
    userUuid,
  ])
  if (rows.length > 0) throw new Refused('person-is-member')
}

const PERSON = `SELECT ${termSources} FROM person WHERE user_uuid = $1`

/** Erasures whose runner has died go on. */
export async function resumeErasures(pool: pg.Pool): Promise<void> {
  for (const id of await listUnfinished(pool)) launchErasure(id)
}

/** One transaction rewrites this many subjects; no projector writes meanwhile. */
const subjectsOfStep = 20

/** A step counts what it did. */
interface Step extends ErasureCounts {
  readonly position: string
  /** Nothing is left of this stage. */
  readonly finished: boolean
}

/**
 * This removes a person from deliveries and all that was made of them, step by step: first from subjects that name
 * them, then from everything else that holds one of their values, also search links and texts of staff. A crash
 * loses at most one step. Returns null when another process runs it, or when it is done.
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
    // An event whose body is away keeps a part of it from now on, and says no more that its month is away.
    await noteLostMonths(pool)
    return await stepThrough(pool, erasure, place, onStep)
  } finally {
    await erasure.job.release(pool)
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
  await noteLostMonths(pool)
  return end(pool, erasure)
}

/** Returns where the next step begins; null after the last one. */
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

/** The erasure forgets who the person was, and the audit records that it is done. */
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
  // All values of the person are known by now.
  links: { step: eraseInLinks, next: 'texts' },
  texts: { step: eraseInTexts, next: null },
} as const

async function eraseNamed(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const { rows } = await tx.query<{ subject_id: string }>(NAMED, [erasure.userUuid, subjectsOfStep])
  const ids = rows.map(({ subject_id }) => subject_id)
  const searchable = ids.join(' ')
  if (searchable !== '' && searchable === position)
    throw new Error(`An erasure does not get past ${ids.length} subjects`)
  // Staff may have written beside the person's transactions since the erasure began. Afterwards these belong to
  // nobody. Texts elsewhere wait for the last stage.
  if (ids.length > 0) await eraseTexts(tx, erasure, [])
  return { ...(await eraseSubjects(tx, erasure, ids)), position: searchable, finished: ids.length === 0 }
}

async function eraseInLog(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const { rows, ...place } = await readLogged(tx, position)
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
  // Dead letters have no subject yet, nor have deliveries that wait while nobody folds.
  await overwriteBodies(tx, found)
  const deliveries = Math.max(counts.deliveries, found.size)
  return { ...counts, deliveries, ...place }
}

async function eraseInEvents(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const { rows, ...place } = await readKept(tx, position)
  const ids = rows.flatMap(({ subjectId, body }) => (eraseBodyOf(erasure, body) ? [subjectId] : []))
  return { ...(await eraseSubjects(tx, erasure, [...new Set(ids)])), ...place }
}

async function eraseInLinks(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  const last = await eraseLinks(tx, position, linkPersonOf(erasure))
  return { subjects: 0, deliveries: 0, position: last ?? position, finished: last === null }
}

async function eraseInTexts(tx: Transaction, erasure: RunningErasure, position: string): Promise<Step> {
  // Somebody may have brought back, meanwhile or by hand, what was removed at the beginning.
  await eraseTexts(tx, erasure, await findTexts(tx, erasure), removals)
  return { subjects: 0, deliveries: 0, position, finished: true }
}

async function eraseTexts(
  tx: Transaction,
  erasure: RunningErasure,
  texts: readonly string[],
  statements = valueRemovals,
): Promise<void> {
  const given = parametersOf(erasure.userUuid, erasure, texts)
  for (const { of, sql } of statements) await tx.query(sql, [...given[of]])
}

const NAMED = `
  SELECT DISTINCT subject_id FROM (
    (SELECT subject_id FROM event WHERE entity_uuid = $1 LIMIT 500)
    UNION ALL (SELECT subject_id FROM transaction WHERE user_uuid = $1 LIMIT $2)
    UNION ALL (SELECT subject_id FROM identifier WHERE value = $1 LIMIT $2)
  ) AS named ORDER BY subject_id LIMIT $2`

const SUBJECTS_OF = `
  SELECT DISTINCT subject_id FROM event_delivery WHERE delivery_id = ANY($1::uuid[]) ORDER BY subject_id`

/** The person is removed from these subjects. A subject whose id is the person's gets another id. */
const eraseSubjects = (
  tx: Transaction,
  erasure: RunningErasure,
  subjectIds: readonly string[],
): Promise<ErasureCounts> =>
  rewriteSubjects(tx, subjectIds, async (bodies) => {
    await collectValues(
      tx,
      erasure,
      bodies.map(({ body }) => body),
    )
    return ({ body }) => eraseBodyOf(erasure, body)
  })

/** This much is kept of a body; null when it is neither about the person nor names them. */
function eraseBodyOf(erasure: RunningErasure, body: Uint8Array): Uint8Array | null {
  return eraseBody(body, erasure.userUuid, erasure.mark, (text) => holdsValue(erasure, text))
}
