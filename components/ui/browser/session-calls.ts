import type { SessionState } from '#lib/identity/sessions/read-session-state.ts'
import { onSignInElsewhere } from '../form/sign-in-channel.ts'

/** Milliseconds after which the session is looked at again while a sign-in is under way, and how often. */
const lookAgainAfter = 500
const lookAgainTimes = 20

/**
 * Looks how the session stands, which is no use of it; null without a connection. While the cookie of another sign-in is on
 * its way to this browser, the answer waits for it: until the tab says so in which somebody signs in, or the server sees it.
 */
export async function askSession(): Promise<SessionState | null> {
  for (let times = 0; ; times++) {
    const session = await ask('GET')
    if (session?.state !== 'replaced' || times === lookAgainTimes) return session
    await nextSignIn(lookAgainAfter)
  }
}

/** Says that somebody uses the page. */
export async function reportUse(): Promise<SessionState | null> {
  const session = await ask('POST')
  return session?.state === 'replaced' ? askSession() : session
}

/** Waits until somebody has signed in in this browser, but no longer than this. */
function nextSignIn(longestMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = onSignInElsewhere(done)
    const timer = setTimeout(done, longestMs)
    function done() {
      stop()
      clearTimeout(timer)
      resolve()
    }
  })
}

async function ask(method: 'GET' | 'POST'): Promise<SessionState | null> {
  try {
    const answer = await fetch('/api/session', { method })
    return answer.ok ? toState(await answer.json()) : null
  } catch {
    return null
  }
}

function toState(json: unknown): SessionState | null {
  if (typeof json !== 'object' || json === null || !('state' in json)) return null
  if (json.state === 'locked' || json.state === 'replaced' || json.state === 'ended')
    return { state: json.state }
  if (!('person' in json && 'idleIn' in json && 'endsIn' in json)) return null
  return {
    state: 'active',
    person: String(json.person),
    idleIn: Number(json.idleIn),
    endsIn: Number(json.endsIn),
  }
}
