'use client'

import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  askSession,
  isLocked,
  loadAgain,
  reportUnlocked,
  reportUse,
  setLockAt,
  takeOverSignedOut,
} from '#components/ui/browser/session.ts'
import { endDrafts } from '#components/ui/form/draft-store.ts'
import { onSignInElsewhere } from '#components/ui/form/tab-channel.ts'
import type { ActiveSession, SessionState } from '#lib/identity/sessions/session-state.ts'

/** The lock is announced this many milliseconds before. */
export const announcedBefore = 120_000

/** The page reports use to the server at most once in this many milliseconds. */
const reportEvery = 30_000

/** A locked page asks this often, in ms, whether its session was ended meanwhile. */
const checkWhileLocked = 60_000

/** These events count as use. Moving the pointer is enough, so that a reader is not locked out. */
const uses = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

export interface SessionLockState {
  /** `warning`: `lockAt` is less than two minutes away. */
  readonly phase: 'open' | 'warning' | 'locked'
  /** `lockAt` is in ms since 1970, by this browser's clock. */
  readonly lockAt: number
  /** `check` asks the server for the session, after somebody has signed in here or in another tab. */
  readonly check: () => Promise<unknown>
}

/**
 * An open page locks after some time without use, as the server's session does. `initial` is the session when the
 * page was made.
 */
export function useSessionLock(initial: ActiveSession): SessionLockState {
  const [lockAt, setLock] = useState(Number.POSITIVE_INFINITY)
  const [phase, setPhase] = useState<SessionLockState['phase']>('open')
  const phaseNow = useRef(phase)
  const { person } = initial

  const enter = useCallback((next: SessionLockState['phase']) => {
    phaseNow.current = next
    setPhase(next)
  }, [])

  const take = useCallback(
    (session: SessionState | null) => {
      // The clock of this browser decides while there is no connection.
      if (session === null) return isLocked() ? enter('locked') : undefined
      if (session.state === 'locked') {
        setLockAt(Date.now())
        return enter('locked')
      }
      // Somebody ended the session, so its drafts are deleted. A session that times out is locked and keeps them.
      if (session.state === 'ended') endDrafts()
      if (session.state !== 'active' || !isSamePerson(session.person, person)) return loadAgain()
      const left = Math.min(session.idleIn, session.endsIn)
      setLock(Date.now() + left)
      setLockAt(Date.now() + left)
      enter(left <= announcedBefore ? 'warning' : 'open')
    },
    [person, enter],
  )

  /**
   * Answers may arrive out of order. Only the answer to the last question counts; otherwise the page would seem
   * open for too long.
   */
  const question = useRef(0)
  const takeAnswer = useCallback(
    async (ask: () => Promise<SessionState | null>) => {
      const mine = ++question.current
      const session = await ask()
      if (mine === question.current) take(session)
      return session
    },
    [take],
  )
  const check = useCallback(() => takeAnswer(askSession), [takeAnswer])

  // `initial` is taken once, because later answers of the server count more.
  const takeInitial = useEffectEvent(() => take(initial))
  useEffect(() => takeInitial(), [])

  // The live stream ended because another session replaced this one, so the stream starts again.
  const onSignedOut = useEffectEvent(async () => {
    if ((await check())?.state === 'active') reportUnlocked()
  })
  useEffect(() => takeOverSignedOut(() => void onSignedOut()), [])

  useEffect(() => onSignInElsewhere(() => void check()), [check])

  // Another tab may have been used meanwhile, so the server is asked before the page is locked.
  useEffect(() => {
    const stopTimer =
      phase === 'locked'
        ? checkRegularly(check)
        : checkAt(phase === 'open' ? lockAt - announcedBefore : lockAt, check)
    const onReturn = () => document.visibilityState === 'visible' && isLocked() && void check()
    document.addEventListener('visibilitychange', onReturn)
    window.addEventListener('pageshow', onReturn)
    return () => {
      stopTimer()
      document.removeEventListener('visibilitychange', onReturn)
      window.removeEventListener('pageshow', onReturn)
    }
  }, [phase, lockAt, check])

  useEffect(() => {
    let reportedAt = Date.now()
    let later: ReturnType<typeof setTimeout> | undefined
    const report = () => {
      later = undefined
      reportedAt = Date.now()
      void takeAnswer(reportUse)
    }
    const onUse = () => {
      if (phaseNow.current === 'locked' || later !== undefined) return
      // A computer that slept has not run the timer yet.
      if (isLocked()) return void check()
      const wait = phaseNow.current === 'warning' ? 0 : Math.max(0, reportedAt + reportEvery - Date.now())
      later = setTimeout(report, wait)
    }
    for (const use of uses) document.addEventListener(use, onUse, { capture: true, passive: true })
    return () => {
      clearTimeout(later)
      for (const use of uses) document.removeEventListener(use, onUse, { capture: true })
    }
  }, [check, takeAnswer])

  return { phase, lockAt, check }
}

/** Drafts are found by any tag of their person, because the server may have got another secret meanwhile. */
const isSamePerson = (one: string, other: string) =>
  one.split(' ').some((tag) => other.split(' ').includes(tag))

function checkAt(time: number, check: () => Promise<unknown>): () => void {
  const timer = setTimeout(() => void check(), Math.min(Math.max(0, time - Date.now()) + 50, 2 ** 31 - 1))
  return () => clearTimeout(timer)
}

function checkRegularly(check: () => Promise<unknown>): () => void {
  const timer = setInterval(() => void check(), checkWhileLocked)
  return () => clearInterval(timer)
}
