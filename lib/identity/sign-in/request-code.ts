import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/request-context.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { EmailAddressSchema } from '#lib/platform/forms/email-address.ts'
import { codePauseSeconds, resetLimit } from '#lib/platform/limits/limits.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { sendOneTimePassword } from '#lib/service/sign-in.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { findAsker } from './asker.ts'
import { pauseKey } from './code-budgets.ts'
import {
  confirmCodeRequest,
  type RecordedCodeRequest,
  recordCodeRequest,
  takeBackCodeRequest,
} from './code-request.ts'
import { minimumDurationMs, waitToAnswer } from './even-time.ts'
import { codeRefusals, explainServiceRefusal } from './explain-service-refusal.ts'
import { findRecipient, type Recipient } from './find-recipient.ts'
import { deleteLateRefusal, recordLateRefusal } from './late-refusals.ts'
import { limitCodeRequests } from './limit-code-requests.ts'

const log = logOf('sign-in')

export const RequestCodeSchema = z.object({ email: EmailAddressSchema })

export interface RequestedCode {
  readonly email: string
  /** Seconds until another code can be asked for. */
  readonly resendInSeconds: number
}

/**
 * Has a code mailed to the person with this address, if any (§5.3), to be typed in this browser. Known and unknown
 * addresses get the same message, timing and waits. Throws `Refused`.
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
  const sending = sendCode(recipient, context)
  // A slow service is not waited for: the time would reveal whether a code was sent.
  const [refusal] = await Promise.all([
    Promise.race([sending, pause(minimumDurationMs, 'late' as const)]),
    waitToAnswer(minimumDurationMs),
  ])
  if (refusal === 'late')
    void sending
      .then((why) => why && recordLateRefusal(browserId, email, why))
      .catch((error: unknown) =>
        log.error({ err: error }, 'What became of a code that was sent late is not known'),
      )
  else if (refusal !== null) {
    // No code was sent to anybody, so the pause between codes does not apply.
    await resetLimit('code-pause', pauseKey(email, browserId))
    throw new Refused(signInMessages[refusal])
  }
  return { email, resendInSeconds: codePauseSeconds }
}

/**
 * Sends the code. Returns a refusal that concerns everybody's codes; null otherwise, whether or not this code
 * was sent. That this browser asked is recorded before the service is: what a guess is answered while the service is slow
 * would reveal for whom it is.
 */
async function sendCode(recipient: Recipient, context: ActionContext): Promise<SignInRefusal | null> {
  const recorded = await recordCodeRequest(recipient, context.browserId)
  try {
    return await sendRecorded(recorded, recipient, context)
  } catch (error) {
    await inTransaction(pool(), (tx) => takeBackCodeRequest(tx, recorded))
    throw error
  }
}

async function sendRecorded(
  recorded: RecordedCodeRequest,
  { userUuid, isKnown }: Recipient,
  context: ActionContext,
): Promise<SignInRefusal | null> {
  const why = await sendOneTimePassword(serviceClient(), userUuid).then(
    () => null,
    (error: unknown) => explainServiceRefusal(error, codeRefusals),
  )
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
