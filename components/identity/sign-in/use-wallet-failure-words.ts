'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import type { RefusalText } from '#components/ui/form/refusal-callout.tsx'
import type { Unanswered } from '#lib/platform/forms/action-state.ts'
import type { WalletFailure } from './wallet-failure.ts'

/** Says in the reader's language why a wallet did not do what it was asked. */
export function useWalletFailureWords(): (
  failure: WalletFailure | { readonly why: Unanswered },
) => RefusalText {
  const words = useWords()
  return (failure) =>
    typeof failure === 'object'
      ? failure
      : { title: words(`walletFailures.${failure}`), next: words(`walletFailures.${failure}Next`) }
}
