'use client'

import { useQuery } from '@tanstack/react-query'
import { callAction } from '#components/ui/form/call-action.ts'
import type { CodeDeliveryProblem } from '#lib/identity/rules/sign-in-refusal.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { SentCode } from './use-code-request.ts'

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
