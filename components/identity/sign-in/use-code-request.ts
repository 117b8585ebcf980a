'use client'

import { startTransition, useActionState, useEffect, useRef, useState } from 'react'
import { callAction } from '#components/ui/form/call-action.ts'
import type { RequestedCode } from '#lib/identity/sign-in/request-code.ts'
import { type Action, type ActionState, idle } from '#lib/platform/forms/action-state.ts'

export interface SentCode {
  readonly email: string
  /** 1 for the first of this address, one more for each that was asked for since. */
  readonly count: number
  /** When another may be asked for, in ms since 1970. */
  readonly resendAt: number
}

export interface CodeRequest {
  /** The latest that was sent; null before the first. */
  readonly sent: SentCode | null
  /** How the latest request went. */
  readonly state: ActionState<RequestedCode>
  readonly pending: boolean
  readonly request: (email: string) => void
  /** Back to the address. */
  readonly restart: () => void
}

/** Asking for a code, and for another; `first` is asked for at once. */
export function useCodeRequest(action: Action<RequestedCode>, first?: string): CodeRequest {
  const [sent, setSent] = useState<SentCode | null>(null)
  const [state, send, pending] = useActionState<ActionState<RequestedCode>, string>(
    async (_previous, email) => {
      const next = await callAction(action, { email })
      if (next.kind === 'done') {
        const { email: to, resendInSeconds } = next.value
        const resendAt = Date.now() + resendInSeconds * 1000
        // Shown at once with the end of waiting.
        startTransition(() =>
          setSent((before) => ({ email: to, count: before?.email === to ? before.count + 1 : 1, resendAt })),
        )
      }
      return next
    },
    idle,
  )
  const request = (email: string) => startTransition(() => send(email))
  const asked = useRef(false)
  useEffect(() => {
    if (!first || asked.current) return
    asked.current = true
    startTransition(() => send(first))
  }, [first, send])
  return { sent, state, pending, request, restart: () => setSent(null) }
}
