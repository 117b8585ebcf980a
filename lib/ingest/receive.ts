import 'server-only'
import { type Answer, answers } from './answer.ts'
import type { Ingest } from './ingest.ts'
import type { Receiver } from './receivers.ts'
import type { RefusalReason } from './refusals.ts'
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
    // The database did not answer: the sender's ladder brings the delivery back.
    return answers['not-stored']()
  }
}

async function take(request: IngestRequest, ingest: Ingest): Promise<Answer> {
  if (request.method !== 'POST') return answers['wrong-method']()
  const receiverId = request.receiverId.toLowerCase()
  if (!uuid.test(receiverId)) return answers['unknown-receiver']()

  // Said before anything is read: said late it would cost as much, and hold up whoever can still be stored.
  if (ingest.store.wait() > ingest.answerLimit) return answers['not-stored']()

  const began = performance.now()
  const authorization = request.header('authorization')
  const claim =
    recognize(authorization, receiverId, ingest) ??
    (await within(ingest.answerLimit, check(authorization, receiverId, ingest)))
  const spent = performance.now() - began
  if (claim.kind === 'unknown') return answers['unknown-receiver']()
  if (claim.kind === 'refused') {
    if (claim.why === 'wrong-secret') ingest.refusals.count(receiverId, 'wrong-secret')
    return answers[claim.why]()
  }

  const discard = (why: RefusalReason) => {
    ingest.refusals.count(receiverId, why)
    return answers[why]()
  }
  if (isEncoded(request)) return discard('encoded')
  const length = lengthOf(request)
  if (length !== null && length > bodyLimit) return discard('too-large')
  const place = ingest.room.enter()
  try {
    const reading = await request.readBody(bodyLimit, place.take)
    if (reading.kind === 'too-large') return discard('too-large')
    if (reading.kind !== 'read') return answers[reading.kind]()
    const outcome = await ingest.store.store(receiverId, reading.body, spent)
    if (outcome.kind !== 'stored') return answers['not-stored']()
    // A body that came slowly: whoever sent it may have stopped waiting.
    if (performance.now() - began > ingest.answerLimit)
      ingest.lostAnswers.note(outcome.deliveryId, 'answered-late')
    return answers.stored(outcome.deliveryId)
  } finally {
    place.leave()
  }
}

function lengthOf(request: IngestRequest): number | null {
  const length = request.header('content-length')
  return length !== null && /^\d+$/.test(length) ? Number(length) : null
}

/** Whom memory alone lets in. Nothing is refused on its word: the row may have changed a moment ago. */
function recognize(authorization: string | null, receiverId: string, ingest: Ingest) {
  const receiver = ingest.receivers.recall(receiverId)
  if (!receiver || !ingest.knownKeys) return null
  const verdict = judge(authorization, receiver, ingest.knownKeys, ingest)
  return verdict.kind === 'verified' ? verdict : null
}

async function check(authorization: string | null, receiverId: string, ingest: Ingest) {
  const keys = await ingest.usableKeys()
  const receiver = await ingest.receivers.reread(receiverId)
  return receiver ? judge(authorization, receiver, keys, ingest) : ({ kind: 'unknown' } as const)
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
