import 'server-only'
import { parseSubjectId, somethingOf, subjectId } from '#lib/deliveries/rules/subject.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { overwriteBodies, readDelivery } from '#lib/timeline/projector/bodies.ts'
import { readLostEvents } from '#lib/timeline/projector/lost-bodies.ts'
import { projectSubject } from '#lib/timeline/projector/project-subject.ts'
import { readFromLog } from '#lib/timeline/projector/read-from-log.ts'
import { stopWrites } from '#lib/timeline/projector/shard-leases.ts'
import { emptyWrite, writeRows } from '#lib/timeline/projector/write-changes.ts'
import type { ErasureCounts } from './erasure-store.ts'

/** The log holds this body of a subject, or the event keeps it after the log lost it. */
export interface StoredBody {
  readonly subject_id: string
  readonly event_id: string
  /** The delivery is null when the log no longer holds it. */
  readonly delivery_id: string | null
  readonly body: Buffer
}

/**
 * This overwrites bodies of these subjects and rebuilds their rows, while no projector writes. An event whose new
 * body names another subject moves there. `rewrite` gets all bodies and returns what is kept of one; null leaves a
 * body as it is.
 */
export async function rewriteSubjects(
  tx: Transaction,
  subjectIds: readonly string[],
  rewrite: (bodies: readonly StoredBody[]) => Promise<(stored: StoredBody) => Uint8Array | null>,
): Promise<ErasureCounts> {
  if (subjectIds.length === 0) return { subjects: 0, deliveries: 0 }
  await stopWrites(tx)
  const { rows: stored } = await tx.query<StoredBody>(BODIES, [subjectIds])
  const lost = await readLost(tx, subjectIds)
  const bodies = [...stored, ...lost]
  const keep = await rewrite(bodies)
  const inLog = new Map<string, Uint8Array>()
  const kept: KeptEnvelope[] = []
  const moves = new Map<string, Move>()
  for (const stored of bodies) {
    const { subject_id, event_id, delivery_id } = stored
    const body = keep(stored)
    if (!body) continue
    if (delivery_id === null) kept.push({ subject_id, event_id, body })
    else inLog.set(delivery_id, body)
    const target = subjectId(readDelivery(body).subject)
    if (target !== subject_id) moves.set(event_id, { subject_id, event_id, target })
  }
  // A lost body is replaced by the rows of its subject, so none of these rows may keep the old values.
  const changed = new Set(kept.map(({ subject_id }) => subject_id))
  kept.push(...lost.filter((one) => changed.has(one.subject_id) && !keep(one)))
  await overwriteBodies(tx, inLog)
  await overwriteEnvelopes(tx, kept)
  await moveEvents(tx, [...moves.values()])
  await rebuildRows(tx, [...new Set([...subjectIds, ...[...moves.values()].map(({ target }) => target)])])
  return { subjects: subjectIds.length, deliveries: inLog.size + kept.length }
}

/** The bodies of these events are lost, so their rows say what is left. */
async function readLost(tx: Transaction, subjectIds: readonly string[]): Promise<StoredBody[]> {
  const { rows } = await tx.query<{ subject_id: string; id: string }>(LOST, [subjectIds])
  const lost = await readLostEvents(tx, rows)
  return lost.map(({ row, body }) => ({
    subject_id: row.subject_id,
    event_id: row.id,
    delivery_id: null,
    body,
  }))
}

type KeptEnvelope = Pick<StoredBody, 'subject_id' | 'event_id'> & { readonly body: Uint8Array }

interface Move {
  readonly subject_id: string
  readonly event_id: string
  readonly target: string
}

async function overwriteEnvelopes(tx: Transaction, kept: readonly KeptEnvelope[]): Promise<void> {
  if (kept.length === 0) return
  await tx.query(ENVELOPES, [
    kept.map(({ subject_id }) => subject_id),
    kept.map(({ event_id }) => event_id),
    kept.map(({ body }) => body),
    kept.map(({ body }) => Buffer.from(readDelivery(body).reading.fingerprint, 'hex')),
  ])
}

async function moveEvents(tx: Transaction, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const values = [
    moves.map(({ subject_id }) => subject_id),
    moves.map(({ event_id }) => event_id),
    moves.map(({ target }) => target),
  ]
  for (const { copy, remove, insert } of moved) {
    const { rows } = await tx.query<{ row: object }>(copy, values)
    await tx.query(remove, values)
    await tx.query(insert, [JSON.stringify(rows.map(({ row }) => row))])
  }
}

/**
 * The rows are rebuilt from the log, or from the bodies that outlived it. Only staff is notified: a rewritten event may be
 * a check, of which customers must not know.
 */
async function rebuildRows(tx: Transaction, subjectIds: readonly string[]): Promise<void> {
  const logged = await readFromLog(tx, subjectIds)
  const changes = subjectIds.flatMap((id) => {
    const [subject, known] = [parseSubjectId(id), logged.get(id)]
    if (!subject || !known) return []
    return [projectSubject(subject, known.known, known.newDeliveries, new Set(), true).changes]
  })
  const owners = changes.flatMap(({ userUuid }) => (userUuid === null ? [] : [somethingOf(userUuid)]))
  const names = new Set([...changes.map((change) => change.subjectId), ...owners])
  const notify = [...names].map((name) => ({ subjectId: name, userUuid: null }))
  await writeRows(tx, { ...emptyWrite, changes, notify })
}

const BODIES = `
  WITH carried AS MATERIALIZED (
    SELECT subject_id, event_id, delivery_id FROM event_delivery WHERE subject_id = ANY($1)
  )
  SELECT subject_id, event_id, delivery_id, body FROM carried JOIN delivery ON delivery.id = delivery_id
  UNION ALL
  SELECT subject_id, id, NULL, envelope FROM event WHERE subject_id = ANY($1) AND envelope IS NOT NULL`

const given = 'unnest($1::text[], $2::uuid[], $3::text[]) AS given (subject_id, event_id, target)'

/** A row of another subject may be on another server, so it is copied and then deleted. Decision 0143. */
const movesOf = (table: 'event' | 'event_delivery', event: string) => ({
  copy: `
    SELECT to_jsonb(moved) || jsonb_build_object('subject_id', target) AS row FROM ${table} AS moved, ${given}
    WHERE moved.subject_id = given.subject_id AND moved.${event} = given.event_id`,
  remove: `
    DELETE FROM ${table} AS moved USING ${given}
    WHERE moved.subject_id = given.subject_id AND moved.${event} = given.event_id`,
  insert: `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
})

const moved = [movesOf('event_delivery', 'event_id'), movesOf('event', 'id')]

const LOST = `
  WITH kept AS MATERIALIZED (SELECT subject_id, id FROM event WHERE subject_id = ANY($1) AND envelope IS NULL)
  SELECT subject_id, id FROM kept WHERE NOT EXISTS (SELECT FROM delivery WHERE delivery.id = kept.id)`

/** The digest of a shortened body is that of the whole body, so it is replaced too. */
const ENVELOPES = `
  UPDATE event SET envelope = given.body, fingerprint = given.fingerprint
  FROM unnest($1::text[], $2::uuid[], $3::bytea[], $4::bytea[]) AS given (subject_id, event_id, body, fingerprint)
  WHERE event.subject_id = given.subject_id AND event.id = given.event_id`
