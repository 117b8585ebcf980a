import 'server-only'
import { SignInAgain } from '#lib/platform/refusals.ts'
import type { Caller } from './caller.ts'

/** How long a sign-in counts as fresh, in milliseconds (decision 0043). */
const freshFor = 15 * 60_000

/** Whether the person proved who they are within the last 15 minutes. */
export const isFreshlySignedIn = ({ signedInAt }: Pick<Caller, 'signedInAt'>, now = new Date()): boolean =>
  now.getTime() - Date.parse(signedInAt) < freshFor

/** For actions that cannot be undone. Throws `SignInAgain` when the last sign-in is too long ago. */
export function requireFreshSignIn(caller: Caller): void {
  if (!isFreshlySignedIn(caller)) throw new SignInAgain()
}
