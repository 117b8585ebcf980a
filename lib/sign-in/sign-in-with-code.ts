import 'server-only'
import type { RequestContext } from '#lib/auth/request-context.ts'
import { exchangeOneTimePassword } from '#lib/service/sign-in.ts'
import { service } from '#lib/service-connection.ts'
import { emailKey } from '#lib/users/email-key.ts'
import { findPersonByEmail } from '#lib/users/find-person-by-email.ts'
import { finishSignIn, type SignInOutcome } from './finish-sign-in.ts'
import { count, forget } from './limits.ts'
import { codeRefusals, explainRefusal, refuseSignIn } from './refuse-sign-in.ts'
import { standInUuid } from './stand-in-uuid.ts'
import { steadyAnswer } from './steady-answer.ts'

/** Exchanges the code from the e-mail for a session (§5.3). An unknown address reads as a wrong code. */
export function signInWithCode(
  { email, code }: { readonly email: string; readonly code: string },
  context: RequestContext,
): Promise<SignInOutcome> {
  return steadyAnswer(exchange(email, code.replace(/\s/g, ''), context), ({ kind }) => kind === 'signed-in')
}

async function exchange(email: string, code: string, context: RequestContext): Promise<SignInOutcome> {
  const person = await findPersonByEmail(email)
  const refuse = (why: Parameters<typeof refuseSignIn>[0]) =>
    refuseSignIn(why, 'code', person?.userUuid ?? null, context)
  const waits = [await count('guess-per-ip', context.ip), await count('guess-per-address', emailKey(email))]
  if (waits.some((seconds) => seconds > 0)) return refuse('too-many')
  if (code === '') return refuse('code-refused')
  const userUuid = person?.userUuid ?? standInUuid(email)
  try {
    const session = await exchangeOneTimePassword(service(), { userUuid, oneTimePassword: code })
    if (session.userUuid.toLowerCase() !== userUuid) return refuse('service-unavailable')
    await forget('guess-per-address', emailKey(email))
    return await finishSignIn(session, 'code', context)
  } catch (error) {
    const why = await explainRefusal(error, codeRefusals)
    // Only a known address can make the service count: a 429 must not tell.
    return refuse(why === 'service-busy' ? 'code-refused' : why)
  }
}
