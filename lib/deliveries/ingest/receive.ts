import 'server-only'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { refusalReasons } from '../rules/refusal-reasons.ts'
import type { Ingest } from './ingest.ts'
import { type Coding, codingOf, inflate } from './limits.ts'
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
 * `receive` takes one delivery: it admits, reads, stores and answers. Our own server and the API route both call it. It
 * answers 2xx only when the delivery is safe on disk, and never throws. §5.5, §6.8
 */
export async function receive(request: IngestRequest, ingest: Ingest): Promise<IngestAnswer> {
  const began = performance.now()
  const receiverId = readReceiverId(request)
  const outcome = await receiveDelivery(request, receiverId, ingest).catch(
    // The database did not answer. The sender's next attempt brings the delivery again.
    (cause: unknown): Rejection => ({ kind: 'database', cause }),
  )
  const answer = answerTo(outcome)
  if (receiverId !== null) logRequest(outcome, performance.now() - began, receiverId, ingest)
  if (outcome.kind === 'stored') return answer
  recordRejection(outcome, receiverId, request, ingest)
  if (answer.status === 503) logDeferral(outcome, request.id, receiverId, ingest)
  return answer
}

/** Everything that needs no body is decided before the body is read. */
async function receiveDelivery(
  request: IngestRequest,
  receiverId: string | null,
  ingest: Ingest,
): Promise<Outcome> {
  if (request.method !== 'POST') return { kind: 'wrong-method' }
  if (receiverId === null) return { kind: 'unknown-receiver' }

  // A delivery that would wait too long is refused before its body is read. A later refusal would cost the same and delay
  // others.
  if (ingest.store.estimatedWaitMs() > ingest.answerLimit) return { kind: 'too-late' }

  const startedAt = performance.now()
  const authorization = request.header('authorization')
  // Without an await for a secret in memory, the body is read as it arrives and never buffered.
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
  /** The request arrived at this time of the monotonic clock, and was admitted after so many milliseconds. */
  readonly startedAt: number
  readonly elapsedMs: number
  /** The body has this compression; null for none. */
  readonly coding: Coding | null
}

async function readAndStore(
  { receiverId, startedAt, elapsedMs, coding }: Admission,
  request: IngestRequest,
  ingest: Ingest,
): Promise<Outcome> {
  const reservation = ingest.memory.reserve()
  try {
    const raw = await request.readBody(bodyLimit, ingest.bodyMs, reservation.grow)
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

/** The request log shows people each request and the time that its answer took. */
function logRequest(outcome: Outcome, ms: number, receiverId: string, ingest: Ingest) {
  const stored = outcome.kind === 'stored'
  ingest.requests.add({
    id: stored ? outcome.deliveryId : null,
    receiverId,
    why: stored ? null : outcome.kind,
    ms,
  })
}

/** The counts show people how many deliveries were refused, and why. */
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

/** The id is null when the path does not end in a receiver's id. */
function readReceiverId(request: IngestRequest): string | null {
  const receiverId = request.receiverId.toLowerCase()
  return isLowerCaseUuid(receiverId) ? receiverId : null
}

/** The length in bytes is 0 when the sender does not give it. */
function contentLength(request: IngestRequest): number {
  const length = request.header('content-length')
  return length !== null && /^\d+$/.test(length) ? Number(length) : 0
}

const limited = limitedLog(logOf('ingest'))

/**
 * An answer of 503 is logged with its cause. The first of each cause is logged at once, the next as one line in ten seconds
 * with their number.
 */
function logDeferral(
  rejection: Rejection,
  request: string,
  receiver: string | null,
  { store }: Ingest,
): void {
  const err = 'cause' in rejection ? rejection.cause : undefined
  const cause = err === undefined ? rejection.kind : `${rejection.kind} ${causeOf(err)}`
  // This case is ordinary while an endpoint is created or its secret rotated.
  const level = rejection.kind === 'secret-not-known-yet' ? 'info' : 'error'
  const fields = { request, receiver, estimatedWaitMs: Math.round(store.estimatedWaitMs()) }
  limited[level](cause, err === undefined ? fields : { ...fields, err }, 'A delivery was answered 503')
}
