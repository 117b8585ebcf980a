'use client'

import { useQuery } from '@tanstack/react-query'
import { startTransition, useActionState, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { nowInSeconds, subscribeToClock } from '#components/ui/clock.ts'
import { callAction } from '#components/ui/form/call-action.ts'
import type { CodeDeliveryProblem } from '#lib/identity/rules/sign-in.ts'
import type { RequestedCode } from '#lib/identity/sign-in/request-code.ts'
import { type Action, type ActionState, idle } from '#lib/platform/forms/action-state.ts'
import { type SignInResult, submitCredentials } from './sign-in-result.ts'

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

/** Signs in with the code that was sent to this address. What was wrong with one code is forgotten when another is sent. */
export function useCheckCode({ email, count }: SentCode, onSignedIn: () => void) {
  const [checked, setChecked] = useState<{ result: SignInResult | 'checking'; of: number } | null>(null)
  const check = async (typed: string): Promise<SignInResult | null> => {
    const code = typed.trim()
    if (code === '') return null
    setChecked({ result: 'checking', of: count })
    const result = await submitCredentials('code', { email, code })
    setChecked({ result, of: count })
    if (result === 'signed-in') onSignedIn()
    return result
  }
  const result = checked?.result ?? null
  const checking = result === 'checking'
  const signedIn = result === 'signed-in'
  return {
    check,
    checking,
    signedIn,
    refusal: result === null || checking || signedIn || checked?.of !== count ? null : result,
    /** Something else is typed: what was wrong is being mended. */
    forget: () => setChecked((before) => (before?.result === 'checking' ? before : null)),
  }
}

/**
 * What went wrong with the code after it was asked for; asked every second at first and hardly more seldom for three
 * minutes, for mails come back soon, and for ten minutes in all. §6.6
 */
export function useCodeDeliveryStatus(
  action: Action<CodeDeliveryProblem | null>,
  { email, count }: SentCode,
  wanted: boolean,
): CodeDeliveryProblem | null {
  const { data } = useQuery({
    queryKey: ['code delivery status', email, count],
    queryFn: async () => {
      const answer = await callAction(action, { email })
      return answer.kind === 'done' ? answer.value : null
    },
    enabled: wanted,
    initialData: null,
    refetchInterval: ({ state }) => (state.data ? false : nextLookAfter(state.dataUpdateCount)),
  })
  return data
}

/**
 * Milliseconds until the status is asked once more, after so many times; false for no more. Three tabs of one address stay
 * below the limit `bounce-per-ip`.
 */
export function nextLookAfter(times: number): number | false {
  if (times < 20) return 1_000
  if (times < 128) return 1_500
  return times < 198 ? 6_000 : false
}

/**
 * After too many wrong codes no other is looked at: a new one is asked for by itself, as soon as one may be, once.
 * @returns what is said meanwhile; null when it was not possible, which the request says itself
 */
export function useDeadCode(isDead: boolean, code: CodeRequest, { email, count, resendAt }: SentCode) {
  const words = useWords()
  const wait = useCountdown(resendAt)
  const askedAfter = useRef(0)
  const due = isDead && wait === 0 && !code.pending
  const { request } = code
  useEffect(() => {
    if (!due || askedAfter.current === count) return
    askedAfter.current = count
    request(email)
  }, [due, count, email, request])
  if (!isDead || (code.state.kind !== 'done' && !code.pending)) return null
  return {
    title: words('signIn.dead'),
    // Without the seconds, which the button counts: this is read out whenever it changes.
    next: words(wait > 0 ? 'signIn.deadSoon' : 'signIn.deadNow'),
  }
}

/** Whole seconds until `until` (ms since 1970), counting down to 0. */
export function useCountdown(until: number): number {
  return useSyncExternalStore(
    subscribeToClock,
    () => secondsLeft(until, nowInSeconds()),
    () => 0,
  )
}

/** Whole seconds from `now` (seconds since 1970) until `until` (ms since 1970), rounded up; never below 0. */
export const secondsLeft = (until: number, now: number): number => Math.max(0, Math.ceil(until / 1000 - now))
