'use client'

import { useLayoutEffect } from 'react'
import { createPortal } from 'react-dom'
import { useLater } from '#components/ui/browser/loaded-later.ts'
import { buttonClass } from '#components/ui/button.tsx'
import type { ActiveSession } from '#lib/identity/sessions/session-state.ts'
import type { LockedPageProps } from './lock-cover.tsx'
import { useSessionLock } from './use-session-lock.ts'

interface SessionLockProps extends LockedPageProps {
  readonly session: ActiveSession
}

/** The lock is announced two minutes before. Then a cover hides the page, which keeps what is open and typed. */
export function SessionLock({ session, ...locked }: SessionLockProps) {
  const lock = useSessionLock(session)
  // The cover loads when the lock is announced, because hardly any page gets so far.
  const Cover = useLater(loadCover, lock.phase !== 'open')
  useLayoutEffect(() => {
    document.body.toggleAttribute('data-locked', lock.phase === 'locked')
    return () => document.body.removeAttribute('data-locked')
  }, [lock.phase])
  if (Cover) return <Cover {...lock} {...locked} />
  return lock.phase === 'locked' && <LockedWithoutCover />
}

/**
 * This stands in until the cover has loaded. It stays when a newer version runs, whose server does not have the old
 * script.
 */
const LockedWithoutCover = () =>
  createPortal(
    <div
      data-lock
      className="fixed inset-0 z-60 grid place-content-center justify-items-center gap-4 bg-bg p-4 text-center"
    >
      <p role="alert" className="text-muted">
        Locked. What you typed is kept; sign in again to go on.
      </p>
      <a href="/sign-in?again=1" target="sign-in" className={buttonClass({})}>
        Sign in again in a new tab
      </a>
    </div>,
    document.body,
  )

const loadCover = async () => (await import('./lock-cover.tsx')).LockCover
