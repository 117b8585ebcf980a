import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit, readWait } from '#lib/platform/limits/limits.ts'
import { digestToken } from '../sessions/token.ts'
import { emailKey } from '../users/person-texts.ts'

/** Whether this person has signed in with this browser before. */
export async function isKnownBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const { rows } = await pool().query(FIND, [userUuid, digestToken(browserId)])
  return rows.length > 0
}

/** From now on this person is known to sign in with this browser. */
export async function rememberBrowser(tx: Transaction, userUuid: string, browserId: string): Promise<void> {
  await tx.query(REMEMBER, [userUuid, digestToken(browserId)])
}

const FIND = 'SELECT FROM known_browser WHERE user_uuid = $1 AND browser_digest = $2'

const REMEMBER = `
  INSERT INTO known_browser (user_uuid, browser_digest) VALUES ($1, $2)
  ON CONFLICT (user_uuid, browser_digest) DO UPDATE SET seen_at = now()`

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
