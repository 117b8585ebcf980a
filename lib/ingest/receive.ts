import 'server-only'
import type { RefusalReason } from '#lib/domain/refusal-reasons.ts'
import { type Answer, acknowledge, refusals } from './answer.ts'
import type { Ingest } from './ingest.ts'
import type { Receiver } from './receivers.ts'
import { bodyLimit, type IngestRequest } from './request.ts'
import { verify } from './verify.ts'
import { within } from './within.ts'

/**
 * Takes one delivery: verify, store, answer. Framework-free; the fast way and the API route both call it. It answers
 * 2xx only when the delivery is safe on disk, and never throws. §5.5, §6.8
 */
export async function receive(request: IngestRequest, ingest: Ingest): Promise<Answer> {
  try {
    return await take(request, ingest)
  } catch {
    // The database did not answer: the sender's next attempt brings the delivery back.
    return refuse('database', request, ingest)
  }
}

async function take(request: IngestRequest, ingest: Ingest): Promise<Answer> {
  if (request.method !== 'POST') return refuse('wrong-method', request, ingest)
  const receiverId = request.receiverId.toLowerCase()
  if (!uuid.test(receiverId)) return refuse('unknown-receiver', request, ingest)

  // Said before anything is read: said late it would cost as much, and hold up whoever can still be stored.
  if (ingest.store.wait() > ingest.answerLimit) return refuse('too-late', request, ingest)

  const began = performance.now()
  const authorization = request.header('authorization')
  const claim =
    recognize(authorization, receiverId, ingest) ??
    (await within(ingest.answerLimit, check(authorization, receiverId, ingest)))
  const spent = performance.now() - began
  if (claim.kind === 'refused') {
    if (claim.why === 'secret-not-checkable') ingest.keys.report(claim.keyId)
    return refuse(claim.why, request, ingest)
  }

  if (isEncoded(request)) return refuse('encoded', request, ingest)
  const length = lengthOf(request)
  if (length !== null && length > bodyLimit) return refuse('too-large', request, ingest)
  const place = ingest.room.enter()
  try {
    const reading = await request.readBody(bodyLimit, place.take)
    if (reading.kind !== 'read') return refuse(reading.kind, request, ingest)
    const outcome = await ingest.store.store(receiverId, reading.body, spent)
    if (outcome.kind !== 'stored') {
      ingest.refusedBodies.note(receiverId, reading.body)
      return refuse(outcome.why, request, ingest)
    }
    // A body that came slowly: whoever sent it may have stopped waiting.
    if (performance.now() - began > ingest.answerLimit)
      ingest.lostAnswers.note(outcome.deliveryId, 'answered-late')
    return acknowledge(outcome.deliveryId)
  } finally {
    place.leave()
  }
}

/** Counts it, so that people see what was not taken, and answers. */
function refuse(why: RefusalReason, request: IngestRequest, ingest: Ingest): Answer {
  const receiverId = request.receiverId.toLowerCase()
  if (uuid.test(receiverId))
    ingest.refusals.count(receiverId, why, why === 'wrong-secret' ? request.caller(ingest.proxied) : null)
  return refusals[why]()
}

function lengthOf(request: IngestRequest): number | null {
  const length = request.header('content-length')
  return length !== null && /^\d+$/.test(length) ? Number(length) : null
}

/** Whom memory alone lets in. Nothing is refused on its word: the row may have changed a moment ago. */
function recognize(authorization: string | null, receiverId: string, ingest: Ingest) {
  const receiver = ingest.receivers.recall(receiverId)
  const { usable } = ingest.keys
  if (!receiver || !usable) return null
  const verdict = judge(authorization, receiver, usable, ingest)
  return verdict.kind === 'verified' ? verdict : null
}

async function check(authorization: string | null, receiverId: string, ingest: Ingest) {
  const keys = await ingest.begin()
  const receiver = await ingest.receivers.reread(receiverId)
  if (receiver) return judge(authorization, receiver, keys, ingest)
  return { kind: 'refused', why: 'unknown-receiver' } as const
}

/** A digest under an old key is made again under the newest; when that fails, the next delivery does it. */
function judge(authorization: string | null, receiver: Receiver, keys: ReadonlySet<string>, ingest: Ingest) {
  const { digester, receivers } = ingest
  const verdict = verify(authorization, receiver, digester, keys)
  if (verdict.kind === 'verified' && verdict.underOldKey)
    void receivers.redigest(receiver, digester.digest(verdict.secret)).catch(() => undefined)
  return verdict
}

function isEncoded(request: IngestRequest): boolean {
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? ''
  return encoding !== '' && encoding !== 'identity'
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
