import 'server-only'
import { type Limit, readWait } from '#lib/limits/limits.ts'

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
  const until = async (...limits: readonly Limit[]) => {
    const seconds = Math.max(...(await Promise.all(limits.map((limit) => readWait(limit, userUuid)))))
    return seconds === 0 ? null : new Date(now + seconds * 1000).toISOString()
  }
  const [knownBrowsers, strangers, strangersTyping] = await Promise.all([
    until('code-known-browsers'),
    until('code-strangers', 'code-strangers-daily'),
    until('guess-strangers-daily'),
  ])
  return { knownBrowsers, strangers, strangersTyping }
}
