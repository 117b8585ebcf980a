'use client'

import { useLayoutEffect } from 'react'
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
  const Cover = useLater(loadCover)
  // Also while what lies over it has not come.
  useLayoutEffect(
    () => void document.body.toggleAttribute('data-locked', lock.phase === 'locked'),
    [lock.phase],
  )
  return Cover && <Cover {...lock} {...locked} />
}

const loadCover = async () => (await import('./lock-cover.tsx')).LockCover
