'use client'

import { useQuery } from '@tanstack/react-query'
import type { CodeDeliveryProblem } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { callAction } from '../form/call-action.ts'
import type { SentCode } from './use-code-request.ts'

/** What went wrong with the code after it was asked for; asked every few seconds for ten minutes. §6.6 */
export function useCodeDeliveryStatus(
  action: Action<CodeDeliveryProblem | null>,
  { email, resendAt }: SentCode,
  wanted: boolean,
): CodeDeliveryProblem | null {
  const { data } = useQuery({
    queryKey: ['code delivery status', email, resendAt],
    queryFn: async () => {
      const answer = await callAction(action, { email })
      return answer.kind === 'done' ? answer.value : null
    },
    enabled: wanted,
    initialData: null,
    refetchInterval: ({ state }) => (state.data || state.dataUpdateCount > 150 ? false : 4_000),
  })
  return data
}
