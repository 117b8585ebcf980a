import 'server-only'
import type { RequestContext } from '#lib/request/request-context.ts'
import { exchangeOneTimePassword } from '#lib/service/sign-in.ts'
import { serviceClient } from '#lib/service-client.ts'
import { emailKey } from '#lib/users/email-key.ts'
import { findUserByEmail } from '#lib/users/find-user-by-email.ts'
import { completeSignIn, type SignInOutcome } from './complete-sign-in.ts'
import { decoyUuid } from './decoy-uuid.ts'
import { codeRefusals, explainServiceRefusal } from './explain-service-refusal.ts'
import { consumeLimit, resetLimit } from '#lib/limits/limits.ts'
import { refuseSignIn } from './refuse-sign-in.ts'
import { withMinimumDuration } from './with-minimum-duration.ts'

/** Exchanges the code from the e-mail for a session (§5.3). An unknown address reads as a wrong code. */
export function signInWithCode(
  { email, code }: { readonly email: string; readonly code: string },
  context: RequestContext,
): Promise<SignInOutcome> {
  return withMinimumDuration(
    exchangeCode(email, code.replace(/\s/g, ''), context),
    ({ kind }) => kind === 'signed-in',
  )
}

async function exchangeCode(email: string, code: string, context: RequestContext): Promise<SignInOutcome> {
  const person = await findUserByEmail(email)
  const refuse = (why: Parameters<typeof refuseSignIn>[0]) =>
    refuseSignIn(why, 'code', person?.userUuid ?? null, context)
  const waits = [
    await consumeLimit('guess-per-ip', context.ip),
    await consumeLimit('guess-per-address', emailKey(email)),
  ]
  if (waits.some((seconds) => seconds > 0)) return refuse('too-many')
  if (code === '') return refuse('code-refused')
  const userUuid = person?.userUuid ?? decoyUuid(email)
  try {
    const session = await exchangeOneTimePassword(serviceClient(), { userUuid, oneTimePassword: code })
    if (session.userUuid.toLowerCase() !== userUuid) return refuse('service-unavailable')
    await resetLimit('guess-per-address', emailKey(email))
    return await completeSignIn(session, 'code', context)
  } catch (error) {
    const why = await explainServiceRefusal(error, codeRefusals)
    // Only a known address makes the service count requests, so a 429 must not be passed on.
    return refuse(why === 'service-busy' ? 'code-refused' : why)
  }
}
