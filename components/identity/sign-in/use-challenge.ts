'use client'

import { useQuery } from '@tanstack/react-query'
import { useWords } from '#components/ui/browser/words.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { refusalOf } from '#components/ui/form/refusal-callout.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/issue-challenge.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Signer } from './signer.ts'

/**
 * The message for this address and chain; another one when this one has been used. It is made before anybody is asked to
 * sign it: a phone opens a wallet only directly from a tap.
 */
export function useChallenge(
  action: Action<IssuedChallenge>,
  { address, chainId }: Signer,
  of: 'signIn' | 'signUp',
) {
  const words = useWords()
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['challenge', address, chainId],
    queryFn: () => callAction(action, { address, chainId }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
  })
  const unreadable = { title: words(`${of}.noMessage`), next: words(`${of}.noMessageNext`) }
  const refused = data ? (refusalOf(data) ?? (data.kind === 'invalid' ? unreadable : null)) : null
  return {
    issued: data?.kind === 'done' && !isFetching ? data.value : null,
    refusal: isFetching ? null : refused,
    pending: isFetching,
    renew: () => void refetch(),
  }
}
