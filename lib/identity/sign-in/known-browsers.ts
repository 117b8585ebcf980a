import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit, readWait } from '#lib/platform/limits/limits.ts'
import { digestToken } from '../sessions/token.ts'
import { emailKey } from '../users/person-texts.ts'

/** This person has signed in with this browser before. */
export async function isKnownBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const { rows } = await pool().query(FIND, [userUuid, digestToken(browserId)])
  return rows.length > 0
}

/** The browser is known for this person from now on. */
export async function rememberBrowser(tx: Transaction, userUuid: string, browserId: string): Promise<void> {
  await tx.query(REMEMBER, [userUuid, digestToken(browserId)])
}

const FIND = 'SELECT FROM known_browser WHERE user_uuid = $1 AND browser_digest = $2'

const REMEMBER = `
  INSERT INTO known_browser (user_uuid, browser_digest) VALUES ($1, $2)
  ON CONFLICT (user_uuid, browser_digest) DO UPDATE SET seen_at = now()`

/**
 * A sign-up with this address in this browser is remembered for a week, whether or not it made an account, so
 * that later limits do not reveal which. Three browsers a week for one address; the next count as strangers.
 */
export async function noteSignUpBrowser(email: string, browserId: string): Promise<void> {
  if (await hasSignedUpHere(email, browserId)) return
  if ((await consumeLimit('sign-up-browsers', emailKey(email))) > 0) return
  await consumeLimit('signed-up-here', signUpKey(email, browserId))
}

/** A used limit of one means that the sign-up was remembered. */
export const hasSignedUpHere = async (email: string, browserId: string): Promise<boolean> =>
  (await readWait('signed-up-here', signUpKey(email, browserId))) > 0

/** Attempts of such a browser are counted by this key, for the address in any case. */
export const signUpKey = (email: string, browserId: string) => `${emailKey(email)} ${browserId}`
