import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import { readWait } from '#lib/platform/limits/limits.ts'
import { type Budget, strangersCodes, strangersGuesses } from './code-budgets.ts'

/** Until when who has to wait with codes for a person; ISO 8601, null for not at all. */
export interface CodeWaits {
  /** Browsers in which the person has signed in before, to ask for a code. */
  readonly knownBrowsers: string | null
  /** All other browsers together, to ask for a code. */
  readonly strangers: string | null
  /** All other browsers together, to type a code. */
  readonly strangersTyping: string | null
}

/** The waits that `limitCodeRequests` and the limit of guesses give now. @param now in ms since 1970 */
export async function readCodeWaits(userUuid: string, now: number): Promise<CodeWaits> {
  const { rows } = await pool().query<{ email: string | null }>(EMAIL, [userUuid])
  const email = rows[0]?.email ?? null
  const until = async (budgets: readonly Budget[]) => {
    const seconds = Math.max(0, ...(await Promise.all(budgets.map(([limit, key]) => readWait(limit, key)))))
    return seconds === 0 ? null : new Date(now + seconds * 1000).toISOString()
  }
  const [knownBrowsers, strangers, strangersTyping] = await Promise.all([
    until([['code-known-browsers', userUuid]]),
    until(email === null ? [] : strangersCodes(email)),
    until(email === null ? [] : strangersGuesses(email)),
  ])
  return { knownBrowsers, strangers, strangersTyping }
}

const EMAIL = 'SELECT email FROM person WHERE user_uuid = $1'
