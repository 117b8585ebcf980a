'use client'

import { useQuery } from '@tanstack/react-query'
import type { Action } from '#lib/forms/action-state.ts'
import type { IssuedChallenge } from '#lib/sign-in/issue-challenge.ts'
import { callAction } from '../form/call-action.ts'
import type { Signer } from './signer.ts'

/** The message for this address and chain; another one when this one has been used. */
export function useChallenge(action: Action<IssuedChallenge>, { address, chainId }: Signer) {
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['challenge', address, chainId],
    queryFn: () => callAction(action, { address, chainId }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
  })
  const refused = data?.kind === 'refused' ? data : data?.kind === 'invalid' ? unreadable : null
  return {
    issued: data?.kind === 'done' && !isFetching ? data.value : null,
    refusal: isFetching ? null : refused,
    pending: isFetching,
    renew: () => void refetch(),
  }
}

const unreadable = {
  title: 'No message can be made for this account.',
  next: 'Choose another account or network in your wallet, or use an e-mail code.',
}
