import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/statements.ts'
import { EmailAddressSchema } from '#lib/platform/forms/fields.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { codePauseSeconds, consumeLimit, resetLimit } from '#lib/platform/limits/limits.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { ServiceError, surelyNotDone } from '#lib/service/errors.ts'
import { sendOneTimePassword } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { bouncedAt, bounceToleranceMs } from '../rules/bounce.ts'
import type { CodeDeliveryProblem, SignInRefusal } from '../rules/sign-in.ts'
import { emailKey } from '../users/person-texts.ts'
import {
  type Asker,
  findAsker,
  limitCodeRequests,
  minimumDurationMs,
  pauseKey,
  uncountCodeRequest,
  untilLate,
  waitToAnswer,
} from './code-limits.ts'
import {
  confirmCodeRequest,
  findCodeRequest,
  findRecipient,
  type Recipient,
  type RecordedCodeRequest,
  recordCodeRequest,
  takeBackCodeRequest,
} from './code-request.ts'
import { codeRefusals, explainServiceRefusal, isOutage } from './complete-sign-in.ts'
import { isKnownBrowser, isSignUpBrowser } from './sign-up-record.ts'

const log = logOf('sign-in')

export const RequestCodeSchema = z.object({ email: EmailAddressSchema })

export interface RequestedCode {
  readonly email: string
  /** Another code can be requested after this many seconds. */
  readonly resendInSeconds: number
}

/**
 * A code is mailed to the person with this address, if any (§5.3), to be typed in this browser. Known and
 * unknown addresses get the same message, timing and waits. Throws `Refused`.
 */
export async function requestCode(
  { email }: z.output<typeof RequestCodeSchema>,
  context: ActionContext,
): Promise<RequestedCode> {
  const { browserId } = context
  const recipient = await findRecipient(email, browserId)
  const asker = await findAsker(recipient.userUuid, email, browserId)
  const wait = await limitCodeRequests(recipient, asker, context)
  if (wait > 0) return { email, resendInSeconds: wait }
  deleteLateRefusal(browserId, email)
  const sending = sendCode(recipient, asker, context)
  const [refusal] = await Promise.all([Promise.race([sending, untilLate()]), waitToAnswer(minimumDurationMs)])
  if (refusal === 'late')
    void sending
      .then((why) => why && recordLateRefusal(browserId, email, why))
      .catch((error: unknown) =>
        log.error({ err: error }, 'What became of a code that was sent late is not known'),
      )
  else if (refusal !== null) {
    // No code was sent to anybody, so the pause between codes does not apply.
    await resetLimit('code-pause', pauseKey(email, browserId))
    throw new Refused(refusal)
  }
  return { email, resendInSeconds: codePauseSeconds }
}

/**
 * The code is sent. The result is a refusal that concerns everybody's codes; null otherwise, whether or not this code was
 * sent. The request is recorded first, because the answer to a guess made while the service is slow would reveal the person.
 */
async function sendCode(
  recipient: Recipient,
  asker: Asker,
  context: ActionContext,
): Promise<SignInRefusal | null> {
  const recorded = await recordCodeRequest(recipient, context.browserId)
  try {
    return await sendRecorded(recorded, recipient, asker, context)
  } catch (error) {
    await inTransaction(pool(), (tx) => takeBackCodeRequest(tx, recorded))
    throw error
  }
}

async function sendRecorded(
  recorded: RecordedCodeRequest,
  recipient: Recipient,
  asker: Asker,
  context: ActionContext,
): Promise<SignInRefusal | null> {
  const { userUuid, isKnown } = recipient
  const failure = await sendOneTimePassword(serviceClient(), userUuid).then(() => null, failureOf)
  const why = failure?.why ?? null
  if (failure?.isOutage) await uncountCodeRequest(recipient, asker, context.browserId)
  const everybodys = why === 'key-refused' || why === 'service-unavailable' ? why : null
  await inTransaction(pool(), async (tx) => {
    if (everybodys === null) await confirmCodeRequest(tx, recorded)
    else await takeBackCodeRequest(tx, recorded)
    if (!isKnown) return
    const outcome = why === null ? 'done' : 'refused'
    const entry = {
      actor: null,
      action: 'code.request',
      target: userUuid,
      outcome,
      details: { why },
    } as const
    await recordAudit(tx, entry, context)
  })
  return everybodys
}

async function failureOf(error: unknown) {
  const why = await explainServiceRefusal(error, codeRefusals)
  // A gateway may have answered for a service that had sent the code. Many could be sent so to one person.
  const isSurelyNotSent = surelyNotDone(error) || (error instanceof ServiceError && error.status === 503)
  return { why, isOutage: isSurelyNotSent && isOutage(error, why) }
}

/** A refusal can be read for this many milliseconds, and this many are kept. */
const keptForMs = 10 * 60_000
const maxKept = 1_000

/**
 * The service refused or failed after the browser was told that a code is on its way. Only this process keeps the refusal.
 */
export function recordLateRefusal(browserId: string, email: string, why: SignInRefusal): void {
  const notes = all()
  notes.set(keyOf(browserId, email), { why, until: Date.now() + keptForMs })
  const oldest = notes.keys().next().value
  if (notes.size > maxKept && oldest !== undefined) notes.delete(oldest)
}

/** The refusal for this browser and address is null when there was none. */
function findLateRefusal(browserId: string, email: string): SignInRefusal | null {
  const note = all().get(keyOf(browserId, email))
  return note && note.until > Date.now() ? note.why : null
}

/** The next request starts again. */
function deleteLateRefusal(browserId: string, email: string): void {
  all().delete(keyOf(browserId, email))
}

type Notes = Map<string, { readonly why: SignInRefusal; readonly until: number }>

/** All bundles that Next makes share this. */
function all(): Notes {
  globalThis.rampartLateRefusals ??= new Map()
  return globalThis.rampartLateRefusals
}

const keyOf = (browserId: string, email: string) =>
  `${Buffer.from(digestToken(browserId)).toString('hex')} ${emailKey(email)}`

declare global {
  var rampartLateRefusals: Notes | undefined
}

export const CodeDeliveryStatusSchema = z.object({ email: EmailAddressSchema })

/**
 * The code of this browser was not delivered when the service sent no codes at all, or when the mail bounced
 * (§6.6). A bounce is shown only to browsers in which this person has signed in or up before; the other case
 * looks the same for known and unknown addresses.
 */
export async function codeDeliveryStatus(
  { email }: z.output<typeof CodeDeliveryStatusSchema>,
  { browserId, ip }: ActionContext,
): Promise<CodeDeliveryProblem | null> {
  if ((await consumeLimit('bounce-per-ip', ip)) > 0) return null
  const late = findLateRefusal(browserId, email)
  if (late) return late
  const { userUuid, addressIds } = await findRecipient(email, browserId)
  const isTheirs = (await isKnownBrowser(userUuid, browserId)) || (await isSignUpBrowser(userUuid, browserId))
  if (!isTheirs) return null
  const requestedAt = await findCodeRequest(addressIds, browserId)
  const bounced = requestedAt !== null && (await hasBouncedSince(userUuid, requestedAt))
  return bounced ? 'bounced' : null
}

async function hasBouncedSince(userUuid: string, since: Date): Promise<boolean> {
  const { rows } = await pool().query<{ last_received_at: Date; body: Buffer | null }>(BOUNCES, [
    userUuid,
    since,
  ])
  // The service dates a bounce by its own clock, which sent the code a moment ago.
  const behindMs = Math.min(0, serviceClient().clock.offsetMs(180_000) ?? 0)
  const earliest = since.getTime() + behindMs - bounceToleranceMs
  return rows.some(({ body, last_received_at }) => bouncedAt(body, last_received_at).getTime() > earliest)
}

const BOUNCES = `
  WITH kept AS MATERIALIZED (
    SELECT id, last_received_at, envelope FROM event
    WHERE entity_uuid = $1 AND type = 'otpNotification' AND sub_type = 'EMAIL_DELIVERY_FAILED' AND last_received_at > $2
    ORDER BY id DESC LIMIT 10
  ) SELECT last_received_at, ${bodyOf('kept')} AS body FROM kept`
