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

  const began = performance.now()
  const claim = await within(ingest.answerLimit, check(request, receiverId, ingest))
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

/** Nothing is refused on the word of memory alone: the row may have changed a moment ago. */
async function check(request: IngestRequest, receiverId: string, ingest: Ingest) {
  const { digester, receivers } = ingest
  const authorization = request.header('authorization')
  const usableKeys = await ingest.usableKeys()
  const remembered = await receivers.find(receiverId)
  const first = remembered && verify(authorization, remembered, digester, usableKeys)
  if (remembered && first?.kind === 'verified') {
    if (first.underOldKey) void renew(remembered, first.secret, ingest)
    return first
  }
  const receiver = await receivers.reread(receiverId)
  return receiver ? verify(authorization, receiver, digester, usableKeys) : ({ kind: 'unknown' } as const)
}

/** A digest under an old key is made again under the newest; when that fails, the next delivery does it. */
const renew = (receiver: Receiver, secret: Buffer, { receivers, digester }: Ingest) =>
  receivers.redigest(receiver, digester.digest(secret)).catch(() => undefined)

function isEncoded(request: IngestRequest): boolean {
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? ''
  return encoding !== '' && encoding !== 'identity'
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
