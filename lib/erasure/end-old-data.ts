import 'server-only'
import type pg from 'pg'
import { inTransaction, type Transaction } from '#lib/db/in-transaction.ts'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { keepSettingRow } from '#lib/db/setting-row.ts'
import { endBody } from '#lib/projector/erased-people.ts'
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
    while (performance.now() < until && (await inTransaction(pool, (tx) => endSome(tx, type, before))));
  }
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
    () =>
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

/** An id is made when its first delivery arrives: their order is that of time. */
const NEXT = `
  SELECT id, subject_id FROM event
  WHERE type = $1 AND id < $2::uuid
    AND id > COALESCE((SELECT value #>> '{}' FROM setting WHERE key = $3), '00000000-0000-0000-0000-000000000000')::uuid
  ORDER BY id LIMIT $4`
