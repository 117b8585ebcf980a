import type { SessionState } from '#lib/auth/read-session-state.ts'

/** Looks how the session stands, which is no use of it; null without a connection. */
export const askSession = () => ask('GET')

/** Says that somebody uses the page. */
export const reportUse = () => ask('POST')

/** Looks again a moment later: a sign-in ends the session before it, and then the browser still holds the cookie of that one. */
export async function askSessionAgain(): Promise<SessionState | null> {
  await new Promise((resolve) => setTimeout(resolve, 700))
  return askSession()
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
  if (json.state === 'locked' || json.state === 'ended') return { state: json.state }
  if (!('person' in json && 'idleIn' in json && 'endsIn' in json)) return null
  return {
    state: 'active',
    person: String(json.person),
    idleIn: Number(json.idleIn),
    endsIn: Number(json.endsIn),
  }
}
