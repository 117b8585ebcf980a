import type { SessionState } from '#lib/identity/sessions/session-state.ts'
import { endDrafts } from '../form/draft-store.ts'
import { onSignInElsewhere } from '../form/tab-channel.ts'
import { longestAnswer } from './fetch-json.ts'

/**
 * This browser's session is locked without use at this time. Everything that refreshes by itself checks it: a page
 * that asked the server later would be sent to the sign-in and lose what is typed.
 */
let lockAt = Number.POSITIVE_INFINITY
let isSigningOut = false
let onSignedOut: () => void = loadAgain
const unlocked = new Set<() => void>()
const leaving = new Set<() => void>()

/** The page is locked, or about to notice that it is. */
export const isLocked = (): boolean => Date.now() >= lockAt

/** The page is unlocked when its time was over: somebody has signed in, or another tab was used meanwhile. */
export function setLockAt(time: number): void {
  const wasLocked = isLocked()
  lockAt = time
  if (wasLocked && !isLocked()) reportUnlocked()
}

/**
 * The browser is on its way to the sign-in page, which nothing may overtake. Text that was typed and not sent is
 * deleted.
 */
export function noteSignOut(): void {
  isSigningOut = true
  for (const then of leaving) then()
  endDrafts()
}

/** `then` is called when this page signs out itself. Returns a function that stops that. */
export function onSignOut(then: () => void): () => void {
  leaving.add(then)
  return () => leaving.delete(then)
}

/**
 * The page loads again, which leads to the sign-in and from there back here. Nothing happens while this page signs
 * out itself.
 */
export function loadAgain(): void {
  if (!isSigningOut) location.reload()
}

/**
 * The server has answered that nobody is signed in. Without a lock the page loads again, which leads to the
 * sign-in.
 */
export const reportSignedOut = (): void => onSignedOut()

/** The lock handles this instead of loading the page again. Returns a function that undoes it. */
export function takeOverSignedOut(handle: () => void): () => void {
  onSignedOut = handle
  return () => {
    onSignedOut = loadAgain
    lockAt = Number.POSITIVE_INFINITY
  }
}

/** `then` is called when the page is unlocked for the same person. Returns a function that stops that. */
export function onUnlocked(then: () => void): () => void {
  unlocked.add(then)
  return () => unlocked.delete(then)
}

export function reportUnlocked(): void {
  for (const then of unlocked) then()
}

/** The session is asked for again this often, after this many milliseconds, while a sign-in is under way. */
const checkAgainAfter = 500
const checkAgainTimes = 20

/**
 * The server gives the state of the session, which does not count as use; null without an answer in time. While the
 * cookie of another sign-in is on its way to this browser, the answer waits until the tab with the sign-in
 * announces it, or the server sees it.
 */
export async function askSession(): Promise<SessionState | null> {
  for (let times = 0; ; times++) {
    const session = await ask('GET')
    if (session?.state !== 'replaced' || times === checkAgainTimes) return session
    await nextSignIn(checkAgainAfter)
  }
}

/** The server learns that somebody uses the page. */
export async function reportUse(): Promise<SessionState | null> {
  const session = await ask('POST')
  return session?.state === 'replaced' ? askSession() : session
}

/** The promise resolves when somebody has signed in in this browser, or after `longestMs`. */
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
    const answer = await fetch('/api/session', { method, signal: AbortSignal.timeout(longestAnswer) })
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
