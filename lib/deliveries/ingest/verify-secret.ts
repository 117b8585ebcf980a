import 'server-only'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { awaitsSecret } from '../rules/endpoint-states.ts'
import type { Ingest } from './ingest.ts'
import { withTimeout } from './limits.ts'
import type { Receiver } from './receiver-cache.ts'
import type { Rejection } from './request-and-answer.ts'

const limited = limitedLog(logOf('ingest'))

type Verification = { readonly kind: 'verified' } | Rejection

/**
 * `isSecretInMemory` checks `authorization` against the receiver's signing secret in memory. False decides nothing: the
 * receiver may not be in memory, its row may have just changed, or the keys were not checked yet. §5.5
 */
export function isSecretInMemory(authorization: string | null, receiverId: string, ingest: Ingest): boolean {
  const receiver = ingest.receivers.cached(receiverId)
  const { usable } = ingest.keys
  if (!receiver || !usable) return false
  return checkSecret(authorization, receiver, usable, ingest).kind === 'verified'
}

/**
 * `verifySecret` checks `authorization` against the receiver's signing secret in the database. It throws when the database
 * does not answer in time. §5.5
 */
export async function verifySecret(
  authorization: string | null,
  receiverId: string,
  ingest: Ingest,
): Promise<Verification> {
  return withTimeout(ingest.answerLimit, verifyFromRow(authorization, receiverId, ingest))
}

async function verifyFromRow(
  authorization: string | null,
  receiverId: string,
  ingest: Ingest,
): Promise<Verification> {
  const usableKeys = await ingest.begin()
  const receiver = await ingest.receivers.load(receiverId)
  return receiver ? checkSecret(authorization, receiver, usableKeys, ingest) : { kind: 'unknown-receiver' }
}

function checkSecret(
  authorization: string | null,
  receiver: Receiver,
  usableKeys: ReadonlySet<string>,
  { digester, keys, receivers }: Ingest,
): Verification {
  const { secret: kept } = receiver
  if (!kept) return { kind: mismatchReason(receiver, authorization) }
  if (!usableKeys.has(kept.keyId)) return { kind: 'secret-not-checkable', keyId: kept.keyId }
  const secret = readSecret(authorization)
  if (!secret || !digester.matches(secret, kept)) return { kind: mismatchReason(receiver, authorization) }
  const { moves, writes } = keys.agreement
  if (moves && writes !== null && kept.keyId !== writes)
    void receivers.redigest(receiver, digester.digest(secret, writes)).catch(notRedigested)
  return { kind: 'verified' }
}

const notRedigested = (error: unknown) =>
  limited.warn(
    causeOf(error),
    { err: error },
    'A secret is still kept under an old key; the next delivery tries again',
  )

/** A proxy may have removed the header or replaced it. The reason then says so instead of `wrong-secret`. */
function mismatchReason({ state }: Receiver, authorization: string | null) {
  if (awaitsSecret(state)) return 'secret-not-known-yet'
  if (readSecret(authorization)) return 'wrong-secret'
  return /^\s*(?:api-key\s*)?$/i.test(authorization ?? '') ? 'no-authorization' : 'other-scheme'
}

/**
 * `readSecret` returns the bytes of the secret in `API-Key <secret>`. The scheme's case and the spaces around do not matter.
 */
function readSecret(authorization: string | null): Buffer | null {
  const secret = /^\s*api-key[ \t]+(\S(?:.*\S)?)\s*$/i.exec(authorization ?? '')?.[1]
  return secret === undefined ? null : Buffer.from(secret, 'latin1')
}
