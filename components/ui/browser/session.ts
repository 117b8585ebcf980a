import type { SessionState } from '#lib/identity/sessions/session-state.ts'
import { endDrafts } from '../form/draft-store.ts'
import { onSignInElsewhere } from '../form/tab-channel.ts'

/**
 * When this browser's session is locked without use, kept for all that refreshes by itself: a page that asked the server
 * after that would be sent to the sign-in, and lose what is typed.
 */
let lockAt = Number.POSITIVE_INFINITY
let isSigningOut = false
let onSignedOut: () => void = loadAgain
const unlocked = new Set<() => void>()
const leaving = new Set<() => void>()

/** Whether the page is locked, or about to notice that it is. */
export const isLocked = (): boolean => Date.now() >= lockAt

/** The page is unlocked by it when its time was over: somebody has signed in, or another tab was used meanwhile. */
export function setLockAt(time: number): void {
  const wasLocked = isLocked()
  lockAt = time
  if (wasLocked && !isLocked()) reportUnlocked()
}

/** The browser is on its way to the sign-in page, which must not be overtaken; what was typed and not sent is not kept. */
export function noteSignOut(): void {
  isSigningOut = true
  for (const then of leaving) then()
  endDrafts()
}

/** Calls `then` when this page signs out itself; answers how to stop. */
export function onSignOut(then: () => void): () => void {
  leaving.add(then)
  return () => leaving.delete(then)
}

/** Loads the page again, which leads to the sign-in and from there back here; not while this page signs out itself. */
export function loadAgain(): void {
  if (!isSigningOut) location.reload()
}

/** The server has answered that nobody is signed in. Without a lock the page is loaded again, which leads to the sign-in. */
export const reportSignedOut = (): void => onSignedOut()

/** The lock takes over from loading the page again; answers how to give it back. */
export function takeOverSignedOut(handle: () => void): () => void {
  onSignedOut = handle
  return () => {
    onSignedOut = loadAgain
    lockAt = Number.POSITIVE_INFINITY
  }
}

/** Calls `then` when the page is unlocked for the same person; answers how to stop. */
export function onUnlocked(then: () => void): () => void {
  unlocked.add(then)
  return () => unlocked.delete(then)
}

export function reportUnlocked(): void {
  for (const then of unlocked) then()
}

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
