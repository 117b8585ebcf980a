'use client'

import { useLayoutEffect } from 'react'
import { createPortal } from 'react-dom'
import type { ActiveSession } from '#lib/auth/read-session-state.ts'
import { useLater } from '../browser/use-later.ts'
import type { LockedPageProps } from './lock-cover.tsx'
import { useSessionLock } from './use-session-lock.ts'

interface SessionLockProps extends LockedPageProps {
  readonly session: ActiveSession
}

/** Announces the lock two minutes before, and then lies over the page, which keeps what is open and typed. */
export function SessionLock({ session, ...locked }: SessionLockProps) {
  const lock = useSessionLock(session)
  // Hardly any page ever shows it.
  const Cover = useLater(loadCover, lock.phase !== 'open')
  useLayoutEffect(
    () => void document.body.toggleAttribute('data-locked', lock.phase === 'locked'),
    [lock.phase],
  )
  if (Cover) return <Cover {...lock} {...locked} />
  return lock.phase === 'locked' && <LockedWithoutCover />
}

/** Until what lies over a locked page has come, for which a network is needed. */
const LockedWithoutCover = () =>
  createPortal(
    <p role="alert" data-lock className="fixed inset-0 z-60 grid place-items-center bg-bg p-4 text-muted">
      Locked. What you typed is kept: sign in again as soon as there is a network.
    </p>,
    document.body,
  )

const loadCover = async () => (await import('./lock-cover.tsx')).LockCover
