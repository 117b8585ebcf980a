import 'server-only'
import { isKnownBrowser } from './known-browser.ts'
import { hasSignedUpHere } from './sign-up-browser.ts'

/**
 * Whose budget a browser spends: one in which the person has signed in before, one in which somebody signed up with the
 * address this week, or any other.
 */
export type Asker = 'known' | 'signed-up' | 'stranger'

export async function findAsker(userUuid: string, email: string, browserId: string): Promise<Asker> {
  if (await isKnownBrowser(userUuid, browserId)) return 'known'
  return (await hasSignedUpHere(email, browserId)) ? 'signed-up' : 'stranger'
}
