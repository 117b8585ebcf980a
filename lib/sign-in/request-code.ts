import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { ActionContext } from '#lib/auth/request-context.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { type SignInRefusal, signInWords } from '#lib/domain/sign-in-refusal.ts'
import { sendOneTimePassword } from '#lib/service/sign-in.ts'
import { service } from '#lib/service-connection.ts'
import { emailKey } from '#lib/users/email-key.ts'
import { findPersonByEmail } from '#lib/users/find-person-by-email.ts'
import { EmailAddress } from './email-address.ts'
import { forgetLateRefusal, noteLateRefusal } from './late-refusals.ts'
import { codePauseSeconds, count, forget } from './limits.ts'
import { codeRefusals, explainRefusal } from './refuse-sign-in.ts'
import { standInUuid } from './stand-in-uuid.ts'
import { steadyMs } from './steady-answer.ts'
import { refuseFor } from './wait-words.ts'

export const RequestCodeForm = z.object({ email: EmailAddress })

export interface RequestedCode {
  readonly email: string
  /** Seconds until another code can be asked for. */
  readonly resendInSeconds: number
}

/**
 * Has a code mailed to the person with this address, if there is one (§5.3). Known and unknown addresses get the same
 * words, after the same time, with the same waits. Throws `Refused`.
 */
export async function requestCode(
  { email }: z.output<typeof RequestCodeForm>,
  context: ActionContext,
): Promise<RequestedCode> {
  const wait = await countRequest(email, context.ip)
  if (wait > 0) return { email, resendInSeconds: wait }
  forgetLateRefusal(context.browserId, email)
  const sending = send(email, context)
  // What the service takes longer for is not waited for: its time would tell whether it sent anything.
  const [trouble] = await Promise.all([
    Promise.race([sending, pause(steadyMs, 'late' as const)]),
    pause(steadyMs),
  ])
  if (trouble === 'late')
    void sending.then((why) => why && noteLateRefusal(context.browserId, email, why)).catch(ignore)
  else if (trouble !== null) {
    // Nothing was sent to anybody: whoever tries again must not be told that it was.
    await forget('code-pause', emailKey(email))
    throw new Refused(signInWords[trouble])
  }
  return { email, resendInSeconds: codePauseSeconds }
}

/**
 * Whoever asks again at once, in another tab or after a reload, can still type the code that was just sent.
 * @returns seconds until another is sent, 0 for now. Throws `Refused`.
 */
async function countRequest(email: string, ip: string | null): Promise<number> {
  const tooMany = await count('code-per-ip', ip)
  if (tooMany > 0) throw refuseFor(tooMany, 'Too many codes were asked for.')
  const wait = await count('code-pause', emailKey(email))
  if (wait > 0) return wait
  const spent = await count('code-per-address', emailKey(email))
  if (spent === 0) return 0
  await forget('code-pause', emailKey(email))
  throw refuseFor(spent, 'Too many codes were asked for.')
}

/** What stands in the way of everybody's codes; null otherwise, whether or not this one was sent. */
async function send(email: string, context: ActionContext): Promise<SignInRefusal | null> {
  const person = await findPersonByEmail(email)
  const why = await sendOneTimePassword(service(), person?.userUuid ?? standInUuid(email)).then(
    () => null,
    (error: unknown) => explainRefusal(error, codeRefusals),
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

/** A database that went away while the service was slow: its outcome stays unknown, as it is to the person. */
const ignore = () => undefined

const SENT = `
  INSERT INTO code_request (user_uuid, sent_at) VALUES ($1, now())
  ON CONFLICT (user_uuid) DO UPDATE SET sent_at = EXCLUDED.sent_at`
