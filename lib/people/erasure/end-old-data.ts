import 'server-only'
import type pg from 'pg'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { isEventType, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import { directions, isDirection } from '#lib/deliveries/rules/steps.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { keepSettingRow, readSettings } from '#lib/platform/settings/settings.ts'
import { overwriteBodies } from '#lib/timeline/projector/bodies.ts'
import { endBody } from '#lib/timeline/projector/erased-people.ts'
import { noteLostMonths } from '#lib/timeline/projector/lost-months.ts'
import { stopWrites } from '#lib/timeline/projector/shard-leases.ts'
import { rewriteSubjects } from './rewrite-subjects.ts'

/**
 * One transaction ends `rowsOfStep` events or dead letters and reads at most `scannedPerStep` events; a round takes
 * `roundMs`.
 */
const rowsOfStep = 100
const scannedPerStep = 5_000
const roundMs = 2_000

const dayMs = 24 * 3_600_000

/**
 * Personal data ends in events that are older than the settings keep their type: their bodies keep the fields that
 * an erasure keeps too, under the same ids. A round takes about two seconds, oldest first; the next round goes on.
 */
export async function endOldData(pool: pg.Pool, now = new Date()): Promise<void> {
  const { retentionDays } = await readSettings()
  if (Object.keys(retentionDays).length > 0) await noteLostMonths(pool)
  const until = performance.now() + roundMs
  for (const [rule, days] of Object.entries(retentionDays)) {
    const oldest = now.getTime() - days * dayMs
    if (isDirection(rule) || rule === otherEvents)
      await pool.query(END_NOTES, [rule, new Date(oldest), directions])
    const before = firstUuidv7(oldest)
    // Dead letters come first. If one is folded later, no page of events finds it that was read before.
    for (const step of [endDeadLetters, endSome])
      for (let next: string | null = lowestId; next !== null && performance.now() < until; ) {
        const after: string = next
        next = await inTransaction(pool, (tx) => step(tx, rule, before, after))
      }
  }
}

const isUnder = (rule: string, type: string | null): boolean =>
  rule === otherEvents ? !isEventType(type) : type === rule

/**
 * A dead letter has no event, only a body in the log. Returns the last id that was read; null when nothing is left
 * to end.
 */
async function endDeadLetters(
  tx: Transaction,
  rule: string,
  before: string,
  after: string,
): Promise<string | null> {
  const { rows } = await tx.query<{ id: string; body: Buffer }>(DEAD, [before, after, rowsOfStep])
  const ended = rows.flatMap(({ id, body }) => {
    const parsed = parseEnvelope(body)
    const kept = isUnder(rule, parsed.kind === 'envelope' ? parsed.envelope.type : null)
      ? endBody(body)
      : null
    return kept ? [[id, kept] as const] : []
  })
  if (ended.length > 0) {
    await stopWrites(tx)
    await overwriteBodies(tx, new Map(ended))
  }
  return rows.length < rowsOfStep ? null : (rows.at(-1)?.id ?? null)
}

/** Returns the last id that was read when there may be more to end; null otherwise. */
async function endSome(tx: Transaction, rule: string, before: string): Promise<string | null> {
  const key = `retention:${rule}`
  // A month that is back sets the place back: that waits, or comes before.
  await tx.query('SELECT FROM setting WHERE key = $1 FOR UPDATE', [key])
  const { rows } =
    rule === otherEvents
      ? await tx.query<ScannedRow>(NEXT_OF_ALL, [before, key, scannedPerStep])
      : await tx.query<ScannedRow>(NEXT_OF_TYPE, [before, key, rowsOfStep, rule])
  const found = rows.filter(({ type }) => isUnder(rule, type)).slice(0, rowsOfStep)
  const isWhole = found.length < rowsOfStep
  const last = isWhole ? rows.at(-1)?.id : found.at(-1)?.id
  if (last === undefined) return null
  const ended = new Set(found.map(({ id }) => id))
  await rewriteSubjects(
    tx,
    [...new Set(found.map(({ subject_id }) => subject_id))],
    async () =>
      ({ event_id, body }) =>
        ended.has(event_id) ? endBody(body) : null,
  )
  await keepSettingRow(tx, key, last)
  return isWhole && rows.length < (rule === otherEvents ? scannedPerStep : rowsOfStep) ? null : last
}

interface ScannedRow {
  readonly id: string
  readonly subject_id: string
  readonly type: string | null
}

const lowestId = '00000000-0000-0000-0000-000000000000'

/** Staff wrote these notes beside a transaction of this direction. The rule of other events ends all other notes. */
const END_NOTES = `
  DELETE FROM transaction_note AS note
  WHERE written_at < $2 AND $1 = COALESCE(
    (SELECT direction FROM transaction WHERE transaction.subject_id = note.subject_id AND direction = ANY($3)), '${otherEvents}')`

const DEAD = `
  SELECT id, body FROM delivery_pending JOIN delivery ON id = delivery_id
  WHERE dead_lettered_at IS NOT NULL AND delivery_id < $1::uuid AND delivery_id > $2::uuid
  ORDER BY delivery_id LIMIT $3`

const afterTheLast = `id > COALESCE((SELECT value #>> '{}' FROM setting WHERE key = $2), '${lowestId}')::uuid`

/** An id is made when its first delivery arrives, so the order of ids is the order of time. */
const NEXT_OF_TYPE = `
  SELECT id, subject_id, type FROM event WHERE type = $4 AND id < $1::uuid AND ${afterTheLast} ORDER BY id LIMIT $3`

/** Events of every type are read, each once: few have no known type, and no index finds them. */
const NEXT_OF_ALL = `
  SELECT id, subject_id, type FROM event WHERE id < $1::uuid AND ${afterTheLast} ORDER BY id LIMIT $3`
