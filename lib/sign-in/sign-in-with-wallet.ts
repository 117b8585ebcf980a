import 'server-only'
import type { RequestContext } from '#lib/request/request-context.ts'
import { loginWithWallet } from '#lib/service/sign-in.ts'
import { serviceClient } from '#lib/service-client.ts'
import { completeSignIn, type SignInOutcome } from './complete-sign-in.ts'
import { consumeChallenge } from './consume-challenge.ts'
import { explainServiceRefusal, walletRefusals } from './explain-service-refusal.ts'
import { consumeLimit } from '#lib/limits/limits.ts'
import { refuseSignIn } from './refuse-sign-in.ts'

/**
 * Signs in with a message that this server issued to this very browser, signed once (§4.1, §5.2). Since every merchant
 * shares the message's domain, a signature made for another site must not get in here.
 */
export async function signInWithWallet(
  { message, signature }: { readonly message: string; readonly signature: string },
  context: RequestContext,
): Promise<SignInOutcome> {
  if ((await consumeLimit('wallet-per-ip', context.ip)) > 0)
    return refuseSignIn('too-many', 'wallet', null, context)
  const fault = await consumeChallenge(message, context.browserId, new Date())
  if (fault) return refuseSignIn(fault, 'wallet', null, context)
  try {
    const session = await loginWithWallet(serviceClient(), { message, signature })
    return await completeSignIn(session, 'wallet', context)
  } catch (error) {
    return refuseSignIn(await explainServiceRefusal(error, walletRefusals), 'wallet', null, context)
  }
}
