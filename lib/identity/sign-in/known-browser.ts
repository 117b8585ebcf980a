import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from '../sessions/token.ts'

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
