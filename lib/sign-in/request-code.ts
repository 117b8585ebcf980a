import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import { logOf } from '#lib/log.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
import { sendOneTimePassword } from '#lib/service/sign-in.ts'
import { serviceClient } from '#lib/service-client.ts'
import { emailKey } from '#lib/users/email-key.ts'
import { findUserByEmail } from '#lib/users/find-user-by-email.ts'
import { decoyUuid } from './decoy-uuid.ts'
import { EmailAddressSchema } from './email-address.ts'
import { codeRefusals, explainServiceRefusal } from './explain-service-refusal.ts'
import { deleteLateRefusal, recordLateRefusal } from './late-refusals.ts'
import { codePauseSeconds, consumeLimit, resetLimit } from '#lib/limits/limits.ts'
import { refuseWithWait } from '#lib/limits/refuse-with-wait.ts'
import { minimumDurationMs } from './with-minimum-duration.ts'

const log = logOf('sign-in')

export const RequestCodeSchema = z.object({ email: EmailAddressSchema })

export interface RequestedCode {
  readonly email: string
  /** Seconds until another code can be asked for. */
  readonly resendInSeconds: number
}

/**
 * Has a code mailed to the person with this address, if any (§5.3). Known and unknown addresses get the same
 * message, timing and waits. Throws `Refused`.
 */
export async function requestCode(
  { email }: z.output<typeof RequestCodeSchema>,
  context: ActionContext,
): Promise<RequestedCode> {
  const wait = await limitRequests(email, context.ip)
  if (wait > 0) return { email, resendInSeconds: wait }
  deleteLateRefusal(context.browserId, email)
  const sending = sendCode(email, context)
  // A slow service is not waited for: the time would reveal whether a code was sent.
  const [refusal] = await Promise.all([
    Promise.race([sending, pause(minimumDurationMs, 'late' as const)]),
    pause(minimumDurationMs),
  ])
  if (refusal === 'late')
    void sending
      .then((why) => why && recordLateRefusal(context.browserId, email, why))
      .catch((error: unknown) =>
        log.error({ err: error }, 'What became of a code that was sent late is not known'),
      )
  else if (refusal !== null) {
    // No code was sent to anybody, so the pause between codes does not apply.
    await resetLimit('code-pause', emailKey(email))
    throw new Refused(signInMessages[refusal])
  }
  return { email, resendInSeconds: codePauseSeconds }
}

/**
 * Counts the request. Asking again at once (another tab, a reload) is allowed to keep the code just sent.
 * @returns seconds until another code can be sent, 0 for now. Throws `Refused`.
 */
async function limitRequests(email: string, ip: string | null): Promise<number> {
  const tooMany = await consumeLimit('code-per-ip', ip)
  if (tooMany > 0) throw refuseWithWait(tooMany, 'Too many codes were asked for.')
  const wait = await consumeLimit('code-pause', emailKey(email))
  if (wait > 0) return wait
  const secondsToWait = await consumeLimit('code-per-address', emailKey(email))
  if (secondsToWait === 0) return 0
  await resetLimit('code-pause', emailKey(email))
  throw refuseWithWait(secondsToWait, 'Too many codes were asked for.')
}

/**
 * Sends the code. Returns a refusal that concerns everybody's codes; null otherwise, whether or not this code
 * was sent.
 */
async function sendCode(email: string, context: ActionContext): Promise<SignInRefusal | null> {
  const person = await findUserByEmail(email)
  const why = await sendOneTimePassword(serviceClient(), person?.userUuid ?? decoyUuid(email)).then(
    () => null,
    (error: unknown) => explainServiceRefusal(error, codeRefusals),
  )
  if (person) {
    const outcome = why === null ? 'done' : 'refused'
    const { userUuid: target } = person
    await inTransaction(pool(), async (tx) => {
      if (why === null) await tx.query(SENT, [target])
      const entry = { actor: null, action: 'code.request', target, outcome, details: { why } } as const
      await recordAudit(tx, entry, context)
    })
  }
  return why === 'key-refused' || why === 'service-unavailable' ? why : null
}

const SENT = `
  INSERT INTO code_request (user_uuid, sent_at) VALUES ($1, now())
  ON CONFLICT (user_uuid) DO UPDATE SET sent_at = EXCLUDED.sent_at`
