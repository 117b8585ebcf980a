'use client'

import { useLayoutEffect } from 'react'
import type { ActiveSession } from '#lib/auth/read-session-state.ts'
import type { Action } from '#lib/forms/action-state.ts'
import type { SignatureOptions } from '#lib/passkeys/sign-in-with-passkey.ts'
import { useLater } from '../browser/use-later.ts'
import { useSessionLock } from './use-session-lock.ts'

export interface SessionLockProps {
  readonly session: ActiveSession
  /** Whose page it is. */
  readonly name: string
  /** Null where there are no passkeys. */
  readonly beginPasskey: Action<SignatureOptions> | null
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
