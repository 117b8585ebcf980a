import 'server-only'
import type { RequestContext } from '#lib/access/request-context.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { loginWithWallet } from '#lib/service/sign-in.ts'
import { readSignature } from '../rules/read-signature.ts'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { completeSignIn, type SignInOutcome } from './complete-sign-in.ts'
import { consumeChallenge } from './consume-challenge.ts'
import { explainServiceRefusal, walletRefusals } from './explain-service-refusal.ts'
import { refuseSignIn } from './refuse-sign-in.ts'
import { isOutOfServiceTime } from './service-time.ts'

/**
 * Signs in with a message that this server issued to this very browser, signed once (§4.1, §5.2). Since every merchant
 * shares the message's domain, a signature made for another site must not get in here.
 */
export async function signInWithWallet(
  { message, signature }: { readonly message: string; readonly signature: string },
  context: RequestContext,
): Promise<SignInOutcome> {
  const refuse = (why: SignInRefusal) => refuseSignIn(why, 'wallet', null, context)
  if ((await consumeLimit('wallet-per-ip', context.ip)) > 0) return refuse('too-many')
  const read = readSignature(signature)
  if (read.kind !== 'key') return refuse(read.kind === 'none' ? 'signature-unreadable' : 'smart-account')
  const challenge = await consumeChallenge(message, 'sign-in', context.browserId, new Date())
  if (challenge.kind === 'refused') return refuse(challenge.why)
  try {
    const session = await loginWithWallet(serviceClient(), { message, signature: read.signature })
    const outcome = await completeSignIn(session, { method: 'wallet', address: challenge.address }, context)
    return outcome.kind === 'refused' ? await refuse(outcome.why) : outcome
  } catch (error) {
    const why = await explainServiceRefusal(error, walletRefusals)
    return refuse(why === 'wrong-wallet' && isOutOfServiceTime(message) ? 'clocks-differ' : why)
  }
}
