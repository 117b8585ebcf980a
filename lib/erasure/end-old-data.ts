import 'server-only'
import type pg from 'pg'
import { inTransaction, type Transaction } from '#lib/db/in-transaction.ts'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { keepSettingRow } from '#lib/db/setting-row.ts'
import { parseEnvelope } from '#lib/domain/delivery/envelope.ts'
import { erasedText } from '#lib/domain/delivery/erase-envelope.ts'
import { endBody } from '#lib/projector/erased-people.ts'
import { overwriteBodies } from '#lib/projector/overwrite-bodies.ts'
import { stopWrites } from '#lib/projector/stop-writes.ts'
import { readSettings } from '#lib/settings/read-settings.ts'
import { rewriteSubjects } from './rewrite-subjects.ts'

/** Events of one transaction, and milliseconds of one round. */
const eventsOfStep = 100
const roundMs = 2_000

const dayMs = 24 * 3_600_000

/**
 * Ends the personal data of events that are older than the settings keep their type: of their bodies stays what an erasure
 * keeps too, under the same ids. Works for about two seconds, oldest first; the next round goes on.
 */
export async function endOldData(pool: pg.Pool, now = new Date()): Promise<void> {
  const { retentionDays } = await readSettings()
  const until = performance.now() + roundMs
  for (const [type, days] of Object.entries(retentionDays)) {
    const before = firstUuidv7(now.getTime() - days * dayMs)
    // First, since what is folded later is found by no page of events that was looked at before.
    for (const step of [endDeadLetters, endSome])
      while (performance.now() < until && (await inTransaction(pool, (tx) => step(tx, type, before))));
  }
}

/** Of what could not be folded there is no event, only the body in the log. False when nothing of this type is left to end. */
async function endDeadLetters(tx: Transaction, type: string, before: string): Promise<boolean> {
  const { rows } = await tx.query<{ id: string; body: Buffer }>(DEAD, [type, before, erasedText])
  const ended = rows.flatMap(({ id, body }) => {
    const parsed = parseEnvelope(body)
    const kept = parsed.kind === 'envelope' && parsed.envelope.type === type ? endBody(body) : null
    return kept ? [[id, kept] as const] : []
  })
  if (ended.length === 0) return false
  await stopWrites(tx)
  await overwriteBodies(tx, new Map(ended))
  return true
}

/** False when nothing of this type is left to end. */
async function endSome(tx: Transaction, type: string, before: string): Promise<boolean> {
  const key = `retention:${type}`
  const { rows } = await tx.query<EndedRow>(NEXT, [type, before, key, eventsOfStep])
  const last = rows.at(-1)?.id
  if (last === undefined) return false
  const ended = new Set(rows.map(({ id }) => id))
  await rewriteSubjects(
    tx,
    [...new Set(rows.map(({ subject_id }) => subject_id))],
    async () =>
      ({ event_id, body }) =>
        ended.has(event_id) ? endBody(body) : null,
  )
  await keepSettingRow(tx, key, last)
  return rows.length === eventsOfStep
}

interface EndedRow {
  readonly id: string
  readonly subject_id: string
}

/** Those that hold the type and have not been ended, as far as their bytes say. */
const DEAD = `
  SELECT id, body FROM delivery_pending JOIN delivery ON id = delivery_id
  WHERE dead_lettered_at IS NOT NULL AND delivery_id < $2::uuid
    AND position(convert_to('"' || $1 || '"', 'UTF8') IN body) > 0
    AND position(convert_to('"' || $3 || '"', 'UTF8') IN body) = 0
  ORDER BY delivery_id LIMIT 100`

/** An id is made when its first delivery arrives: their order is that of time. */
const NEXT = `
  SELECT id, subject_id FROM event
  WHERE type = $1 AND id < $2::uuid
    AND id > COALESCE((SELECT value #>> '{}' FROM setting WHERE key = $3), '00000000-0000-0000-0000-000000000000')::uuid
  ORDER BY id LIMIT $4`
