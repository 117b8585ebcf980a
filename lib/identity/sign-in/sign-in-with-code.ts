import 'server-only'
import type { RequestContext } from '#lib/access/caller.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { exchangeOneTimePassword } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { readCode, type SignInReason, type SignInRefusal } from '../rules/sign-in.ts'
import {
  type Budget,
  findAsker,
  giveBack,
  inEvenTime,
  pauseKey,
  raiseStrangerAlarm,
  strangersGuesses,
} from './code-limits.ts'
import { countGuess, findRecipient, type Recipient, uncountGuess } from './code-request.ts'
import {
  codeRefusals,
  completeSignIn,
  explainServiceRefusal,
  isOutage,
  refuseSignIn,
  type SignInOutcome,
} from './complete-sign-in.ts'
import { isSignUpBrowser, signUpKey } from './sign-up-record.ts'

/**
 * The code from the e-mail gives a session (§5.3), in the browser that asked for it. An unknown address reads
 * as a wrong code.
 */
export function signInWithCode(
  { email, code }: { readonly email: string; readonly code: string },
  context: RequestContext,
): Promise<SignInOutcome> {
  return inEvenTime(
    exchangeCode(email, readCode(cleanText(code)), context),
    ({ kind }) => kind === 'signed-in',
  )
}

async function exchangeCode(
  email: string,
  code: string | null,
  context: RequestContext,
): Promise<SignInOutcome> {
  const recipient = await findRecipient(email, context.browserId)
  const refuse = (why: SignInReason) =>
    refuseSignIn(why, 'code', recipient.isKnown ? recipient.userUuid : null, context)
  if (code === null) return refuse('code-refused')
  const guess = await limitGuesses(recipient, context)
  if (guess.stop !== null) return refuse(guess.stop)
  try {
    const { userUuid } = recipient
    const session = await exchangeOneTimePassword(serviceClient(), { userUuid, oneTimePassword: code })
    const outcome = await completeSignIn(session, { method: 'code', userUuid }, context)
    return outcome.kind === 'refused' ? await refuse(outcome.why) : outcome
  } catch (error) {
    const why = await explainServiceRefusal(error, codeRefusals)
    if (isOutage(error, why)) {
      await uncountGuess(recipient, guess.browserId)
      await giveBack(guess.spent)
    }
    // Only a known address makes the service count requests, so a 429 must not be passed on.
    return refuse(why === 'service-busy' ? 'code-refused' : why)
  }
}

/** `stop` says why the guess is not sent to the service; null when it is, after it spent these budgets. */
type CountedGuess =
  | { readonly stop: SignInRefusal }
  | { readonly stop: null; readonly browserId: string; readonly spent: readonly Budget[] }

/**
 * The guess is counted. Four separate budgets count: five
 * guesses for a browser's own code, a daily one for each known browser (its cookie may be stolen), one for each
 * browser of a sign-up, and a daily one for all strangers.
 */
async function limitGuesses(recipient: Recipient, context: RequestContext): Promise<CountedGuess> {
  const { browserId, ip } = context
  const { userUuid, email } = recipient
  const asker = browserId === null ? 'stranger' : await findAsker(userUuid, email, browserId)
  // Only the browser that made the account keeps its code: other browsers of a sign-up may belong to strangers.
  const keepsCode = browserId !== null && (asker === 'known' || (await isSignUpBrowser(userUuid, browserId)))
  const allowance = browserId === null ? 'not-asked' : await countGuess(recipient, browserId, keepsCode)
  if (browserId === null || allowance === 'not-asked') {
    return { stop: (await consumeLimit('guess-per-ip', ip)) > 0 ? 'too-many' : 'code-elsewhere' }
  }
  if (allowance === 'used-up') return { stop: 'code-used-up' }
  if (allowance === 'replaced') return { stop: 'code-refused' }
  const counted = (...spent: readonly Budget[]): CountedGuess => ({ stop: null, browserId, spent })
  if (asker === 'known') {
    const known: Budget = ['guess-known-browser-daily', pauseKey(userUuid, browserId)]
    return (await consumeLimit(...known)) > 0 ? { stop: 'too-many' } : counted(known)
  }
  const own: Budget = ['guess-sign-up-browser-daily', signUpKey(email, browserId)]
  if (asker === 'signed-up' && (await consumeLimit(...own)) === 0) return counted(own)
  for (const budget of strangersGuesses(email)) {
    if ((await consumeLimit(...budget)) === 0) continue
    await raiseStrangerAlarm(recipient, context)
    return { stop: 'strangers-stopped' }
  }
  return counted(...strangersGuesses(email))
}
