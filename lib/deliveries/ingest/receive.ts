import 'server-only'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { refusalReasons } from '../rules/refusal-reasons.ts'
import { type Coding, codingOf, inflate } from './inflate.ts'
import type { Ingest } from './ingest.ts'
import {
  answerTo,
  bodyLimit,
  type IngestAnswer,
  type IngestRequest,
  type Outcome,
  type Rejection,
} from './request-and-answer.ts'
import { isSecretInMemory, verifySecret } from './verify-secret.ts'

/**
 * Takes one delivery: admit, read, store, answer. Framework-free; the fast way and the API route both call it. It answers
 * 2xx only when the delivery is safe on disk, and never throws. §5.5, §6.8
 */
export async function receive(request: IngestRequest, ingest: Ingest): Promise<IngestAnswer> {
  const began = performance.now()
  const receiverId = readReceiverId(request)
  const outcome = await receiveDelivery(request, receiverId, ingest).catch(
    // The database did not answer: the sender's next attempt brings the delivery back.
    (cause: unknown): Rejection => ({ kind: 'database', cause }),
  )
  const answer = answerTo(outcome)
  if (receiverId !== null) logRequest(outcome, performance.now() - began, receiverId, ingest)
  if (outcome.kind === 'stored') return answer
  recordRejection(outcome, receiverId, request, ingest)
  if (answer.status === 503) logDeferral(outcome, receiverId, ingest)
  return answer
}

/** All that can be decided before the body is read, then the body. */
async function receiveDelivery(
  request: IngestRequest,
  receiverId: string | null,
  ingest: Ingest,
): Promise<Outcome> {
  if (request.method !== 'POST') return { kind: 'wrong-method' }
  if (receiverId === null) return { kind: 'unknown-receiver' }

  // Refuses before reading the body: refusing later would cost the same and delay deliveries that can still
  // be stored.
  if (ingest.store.estimatedWaitMs() > ingest.answerLimit) return { kind: 'too-late' }

  const startedAt = performance.now()
  const authorization = request.header('authorization')
  // No await where memory knows the secret: the body is then read as it arrives, and never buffered.
  if (!isSecretInMemory(authorization, receiverId, ingest)) {
    const verification = await verifySecret(authorization, receiverId, ingest)
    if (verification.kind !== 'verified') return verification
  }
  const elapsedMs = performance.now() - startedAt

  const coding = codingOf(request.header('content-encoding'))
  if (coding === 'unknown') return { kind: 'encoded' }
  if (contentLength(request) > bodyLimit) return { kind: 'too-large' }
  return readAndStore({ receiverId, startedAt, elapsedMs, coding }, request, ingest)
}

interface Admission {
  readonly receiverId: string
  /** When the request came, by a clock that is never set, and the milliseconds until it was admitted. */
  readonly startedAt: number
  readonly elapsedMs: number
  /** How its body is compressed; null when it is not. */
  readonly coding: Coding | null
}

async function readAndStore(
  { receiverId, startedAt, elapsedMs, coding }: Admission,
  request: IngestRequest,
  ingest: Ingest,
): Promise<Outcome> {
  const reservation = ingest.memory.reserve()
  try {
    const raw = await request.readBody(bodyLimit, reservation.grow)
    const reading =
      coding === null || raw.kind !== 'read' ? raw : await inflate(raw.body, coding, reservation)
    if (reading.kind !== 'read') return reading
    const outcome = await ingest.store.store(receiverId, reading.body, elapsedMs)
    if (outcome.kind !== 'stored') ingest.refusedBodies.add(receiverId, reading.body)
    // The body arrived slowly, so the sender may have stopped waiting.
    else if (performance.now() - startedAt > ingest.answerLimit)
      ingest.lostAnswers.add(outcome.deliveryId, 'answered-late')
    return outcome
  } finally {
    reservation.release()
  }
}

/** So that people see what arrived, one by one, and how long each answer took. */
function logRequest(outcome: Outcome, ms: number, receiverId: string, ingest: Ingest) {
  const stored = outcome.kind === 'stored'
  ingest.requests.add({
    id: stored ? outcome.deliveryId : null,
    receiverId,
    why: stored ? null : outcome.kind,
    ms,
  })
}

/** So that people see what was not taken, and why. */
function recordRejection(
  rejection: Rejection,
  receiverId: string | null,
  request: IngestRequest,
  ingest: Ingest,
) {
  if (rejection.kind === 'secret-not-checkable') ingest.keys.report(rejection.keyId)
  if (receiverId === null) return
  const caller = refusalReasons[rejection.kind] === 'secret' ? request.caller(ingest.findAddress) : null
  ingest.refusals.add(receiverId, rejection.kind, caller)
}

/** Null when the path ends in no receiver's id. */
function readReceiverId(request: IngestRequest): string | null {
  const receiverId = request.receiverId.toLowerCase()
  return isLowerCaseUuid(receiverId) ? receiverId : null
}

/** Bytes; 0 when the sender does not say. */
function contentLength(request: IngestRequest): number {
  const length = request.header('content-length')
  return length !== null && /^\d+$/.test(length) ? Number(length) : 0
}

const limited = limitedLog(logOf('ingest'))

/** Why a delivery was answered 503: the first of each cause at once, then one line in ten seconds with how many there were. */
function logDeferral(rejection: Rejection, receiver: string | null, { store }: Ingest): void {
  const err = 'cause' in rejection ? rejection.cause : undefined
  const cause = err === undefined ? rejection.kind : `${rejection.kind} ${causeOf(err)}`
  // Ordinary while an endpoint is made or its secret rotated.
  const level = rejection.kind === 'secret-not-known-yet' ? 'info' : 'error'
  const fields = { receiver, estimatedWaitMs: Math.round(store.estimatedWaitMs()) }
  limited[level](cause, err === undefined ? fields : { ...fields, err }, 'A delivery was answered 503')
}
