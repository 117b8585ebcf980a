import 'server-only'
import type { RequestContext } from '#lib/auth/request-context.ts'
import { loginWithWallet } from '#lib/service/sign-in.ts'
import { service } from '#lib/service-connection.ts'
import { finishSignIn, type SignInOutcome } from './finish-sign-in.ts'
import { count } from './limits.ts'
import { explainRefusal, refuseSignIn, walletRefusals } from './refuse-sign-in.ts'
import { takeChallenge } from './take-challenge.ts'

/**
 * Signs in with a message that this server issued to this very browser, signed once (§4.1, §5.2). Since every merchant
 * shares the message's domain, a signature made for another site must not get in here.
 */
export async function signInWithWallet(
  { message, signature }: { readonly message: string; readonly signature: string },
  context: RequestContext,
): Promise<SignInOutcome> {
  if ((await count('wallet-per-ip', context.ip)) > 0) return refuseSignIn('too-many', 'wallet', null, context)
  const fault = await takeChallenge(message, context.browserId, new Date())
  if (fault) return refuseSignIn(fault, 'wallet', null, context)
  try {
    const session = await loginWithWallet(service(), { message, signature })
    return await finishSignIn(session, 'wallet', context)
  } catch (error) {
    return refuseSignIn(await explainRefusal(error, walletRefusals), 'wallet', null, context)
  }
}
