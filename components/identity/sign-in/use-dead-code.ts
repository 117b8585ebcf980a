'use client'

import { useEffect, useRef } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import type { CodeRequest, SentCode } from './use-code-request.ts'
import { useCountdown } from './use-countdown.ts'

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
