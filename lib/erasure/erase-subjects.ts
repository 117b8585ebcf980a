import 'server-only'
import type { Transaction } from '#lib/db/in-transaction.ts'
import { type Envelope, parseEnvelope, textField } from '#lib/domain/delivery/envelope.ts'
import { parseSubjectId, subjectId } from '#lib/domain/delivery/subject.ts'
import { eraseBody, isAbout } from '#lib/projector/erased-people.ts'
import { overwriteBodies } from '#lib/projector/overwrite-bodies.ts'
import { projectSubject } from '#lib/projector/project-subject.ts'
import { readDelivery } from '#lib/projector/read-delivery.ts'
import { readFromLog } from '#lib/projector/read-from-log.ts'
import { emptyWrite } from '#lib/projector/statements.ts'
import { stopWrites } from '#lib/projector/stop-writes.ts'
import { writeRows } from '#lib/projector/write-changes.ts'
import { toValue } from './begin-erasure.ts'
import type { ErasureCounts, RunningErasure } from './erasure-store.ts'

/**
 * Takes a person out of these subjects: overwrites their bodies, then makes their rows anew from these, as any rebuild will.
 * A subject whose id is the person's own goes on under another.
 */
export async function eraseSubjects(
  tx: Transaction,
  erasure: RunningErasure,
  subjectIds: readonly string[],
): Promise<ErasureCounts> {
  if (subjectIds.length === 0) return { subjects: 0, deliveries: 0 }
  await stopWrites(tx)
  const bodies = await readBodies(tx, subjectIds)
  for (const { body } of bodies) collectValues(erasure, body)
  const inLog = new Map<string, Uint8Array>()
  const kept: KeptEnvelope[] = []
  const moves = new Map<string, Move>()
  for (const { subject_id, event_id, delivery_id, body } of bodies) {
    const erased = eraseBodyOf(erasure, body)
    if (!erased) continue
    if (delivery_id === null) kept.push({ subject_id, event_id, body: erased })
    else inLog.set(delivery_id, erased)
    const target = subjectId(readDelivery(erased).subject)
    if (target !== subject_id) moves.set(event_id, { subject_id, event_id, target })
  }
  await overwriteBodies(tx, inLog)
  await overwriteEnvelopes(tx, kept)
  await moveEvents(tx, [...moves.values()])
  await makeAnew(tx, [...new Set([...subjectIds, ...[...moves.values()].map(({ target }) => target)])])
  return { subjects: subjectIds.length, deliveries: inLog.size + kept.length }
}

/** What is kept of a body; null when it neither is about the person nor names them. */
export function eraseBodyOf({ userUuid, mark, values }: RunningErasure, body: Uint8Array): Uint8Array | null {
  return eraseBody(body, userUuid, mark, (text) => values.has(text) || holdsOne(text, values))
}

/** Within a longer text only what cannot be by chance: a uuid, an e-mail address, a wallet. */
const holdsOne = (text: string, values: ReadonlySet<string>): boolean =>
  text.length > 20 &&
  [...values].some((value) => (value.length > 20 || value.includes('@')) && text.includes(value))

interface StoredBody {
  readonly subject_id: string
  readonly event_id: string
  /** Null where the log no longer holds it. */
  readonly delivery_id: string | null
  readonly body: Buffer
}

type KeptEnvelope = Pick<StoredBody, 'subject_id' | 'event_id'> & { readonly body: Uint8Array }

interface Move {
  readonly subject_id: string
  readonly event_id: string
  readonly target: string
}

const readBodies = async (tx: Transaction, subjectIds: readonly string[]): Promise<StoredBody[]> =>
  (await tx.query<StoredBody>(BODIES, [subjectIds])).rows

/** Remembers what only this person can have, so that it is found where others are told of them. */
function collectValues({ userUuid, values }: RunningErasure, body: Uint8Array): void {
  const parsed = parseEnvelope(body)
  if (parsed.kind !== 'envelope' || !isAbout(parsed.envelope, userUuid)) return
  for (const text of ownValues(parsed.envelope)) {
    const value = toValue(text)
    if (value !== null) values.add(value)
  }
}

/** Of an account in the person's name, of the person's own wallet, of their mail. §6.3, §6.6 */
function ownValues({ type, data }: Envelope): (string | null)[] {
  if (type === 'unblockBankAccount')
    return [textField(data, 'uuid'), textField(data, 'iban'), textField(data, 'account_number')]
  if (type === 'walletCreated') return [textField(data, 'walletAddress')]
  return type === 'otpNotification' ? [textField(data, 'emailAddress')] : []
}

async function overwriteEnvelopes(tx: Transaction, kept: readonly KeptEnvelope[]): Promise<void> {
  if (kept.length === 0) return
  await tx.query(ENVELOPES, [
    kept.map(({ subject_id }) => subject_id),
    kept.map(({ event_id }) => event_id),
    kept.map(({ body }) => body),
  ])
}

async function moveEvents(tx: Transaction, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const values = [
    moves.map(({ subject_id }) => subject_id),
    moves.map(({ event_id }) => event_id),
    moves.map(({ target }) => target),
  ]
  await tx.query(MOVE_DELIVERIES, values)
  await tx.query(MOVE_EVENTS, values)
}

/** The rows of these subjects as the log, or the bodies that outlived it, now say. */
async function makeAnew(tx: Transaction, subjectIds: readonly string[]): Promise<void> {
  const logged = await readFromLog(tx, subjectIds)
  const changes = subjectIds.flatMap((id) => {
    const [subject, known] = [parseSubjectId(id), logged.get(id)]
    if (!subject || !known) return []
    return [projectSubject(subject, known.known, known.newDeliveries, new Set(), true).changes]
  })
  await writeRows(tx, { ...emptyWrite, changes, notify: changes })
}

const BODIES = `
  SELECT ed.subject_id, ed.event_id, d.id AS delivery_id, d.body
  FROM event_delivery ed JOIN delivery d ON d.id = ed.delivery_id WHERE ed.subject_id = ANY($1)
  UNION ALL
  SELECT subject_id, id, NULL, envelope FROM event WHERE subject_id = ANY($1) AND envelope IS NOT NULL`

const given = 'unnest($1::text[], $2::uuid[], $3::text[]) AS given (subject_id, event_id, target)'

const MOVE_DELIVERIES = `
  UPDATE event_delivery ed SET subject_id = given.target FROM ${given}
  WHERE ed.subject_id = given.subject_id AND ed.event_id = given.event_id`

const MOVE_EVENTS = `
  UPDATE event SET subject_id = given.target FROM ${given}
  WHERE event.subject_id = given.subject_id AND event.id = given.event_id`

const ENVELOPES = `
  UPDATE event SET envelope = given.body
  FROM unnest($1::text[], $2::uuid[], $3::bytea[]) AS given (subject_id, event_id, body)
  WHERE event.subject_id = given.subject_id AND event.id = given.event_id`
