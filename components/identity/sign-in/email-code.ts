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
  /** `count` is 1 for the first code of this address, and one more for each later one. */
  readonly count: number
  /** Another code may be asked for at this time, in ms since 1970. */
  readonly resendAt: number
}

export interface CodeRequest {
  /** `sent` is the latest code; null before the first. */
  readonly sent: SentCode | null
  /** `state` is that of the latest request. */
  readonly state: ActionState<RequestedCode>
  readonly pending: boolean
  readonly request: (email: string) => void
  /** `restart` goes back to the address. */
  readonly restart: () => void
}

/** The hook asks for a code, and for another one. It asks for a code to `first` at once. */
export function useCodeRequest(action: Action<RequestedCode>, first?: string): CodeRequest {
  const [sent, setSent] = useState<SentCode | null>(null)
  const [state, send, pending] = useActionState<ActionState<RequestedCode>, string>(
    async (_previous, email) => {
      const next = await callAction(action, { email })
      if (next.kind === 'done') {
        const { email: to, resendInSeconds } = next.value
        const resendAt = Date.now() + resendInSeconds * 1000
        // The code appears at the same time as the end of waiting.
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

/**
 * The hook signs in with the code that was sent to this address. An error of one code disappears when another is
 * sent.
 */
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
    /** The person types something else, so the error disappears. */
    forget: () => setChecked((before) => (before?.result === 'checking' ? before : null)),
  }
}

/**
 * The hook asks for a delivery problem of the code (§6.6). It asks every second at first and a little less often
 * for three minutes, because bounces come soon, and stops after ten minutes.
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
    refetchInterval: ({ state }) => (state.data ? false : nextCheckAfter(state.dataUpdateCount)),
  })
  return data
}

/**
 * The status is asked again after this many milliseconds, when it was asked `times` before; false for no more.
 * Three tabs of one address stay below the limit `bounce-per-ip`.
 */
export function nextCheckAfter(times: number): number | false {
  if (times < 20) return 1_000
  if (times < 128) return 1_500
  return times < 198 ? 6_000 : false
}

/**
 * No code is accepted after too many wrong ones, so a new one is asked for automatically, once, as soon as that is
 * allowed. Returns the message meanwhile; null when the request failed, which shows its own message.
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
    // The message leaves out the seconds, which the button counts, because each change is read aloud.
    next: words(wait > 0 ? 'signIn.deadSoon' : 'signIn.deadNow'),
  }
}

/** The seconds until `until` (ms since 1970) count down to 0. */
export function useCountdown(until: number): number {
  return useSyncExternalStore(
    subscribeToClock,
    () => secondsLeft(until, nowInSeconds()),
    () => 0,
  )
}

/**
 * The result is the whole seconds from `now` (seconds since 1970) until `until` (ms since 1970), rounded up and
 * never below 0.
 */
export const secondsLeft = (until: number, now: number): number => Math.max(0, Math.ceil(until / 1000 - now))
