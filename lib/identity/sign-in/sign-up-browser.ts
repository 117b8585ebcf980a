import 'server-only'
import { consumeLimit, readWait } from '#lib/platform/limits/limits.ts'
import { emailKey } from '../users/email-key.ts'

/**
 * Notes for a week that somebody signed up with this address in this browser, whether or not that made an account: by what
 * such a browser may try, nobody learns which it was. Three browsers a week for one address; the next are strangers.
 */
export async function noteSignUpBrowser(email: string, browserId: string): Promise<void> {
  if (await hasSignedUpHere(email, browserId)) return
  if ((await consumeLimit('sign-up-browsers', emailKey(email))) > 0) return
  await consumeLimit('signed-up-here', signUpKey(email, browserId))
}

/** Whether that was noted: the limit of one is used up. */
export const hasSignedUpHere = async (email: string, browserId: string): Promise<boolean> =>
  (await readWait('signed-up-here', signUpKey(email, browserId))) > 0

/** By which what such a browser may is counted, for the address in any case. */
export const signUpKey = (email: string, browserId: string) => `${emailKey(email)} ${browserId}`
