'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { RefusalCallout, type RefusalText } from '#components/ui/form/refusal-callout.tsx'
import type { Unanswered } from '#lib/platform/forms/action-state.ts'

/** A wallet refused or failed for one of these reasons. None of them changed anything. */
export type WalletFailure =
  | 'declined'
  | 'blocked'
  | 'busy'
  | 'no-account'
  | 'unauthorized'
  | 'unsupported'
  | 'disconnected'
  | 'failed'

/** The wallet itself offers no other way after these failures. */
export const needsCode: ReadonlySet<unknown> = new Set<WalletFailure>([
  'blocked',
  'unsupported',
  'disconnected',
  'failed',
])

/** A person takes longer than this to read and decline, in ms. */
const minHumanMs = 1_000

/**
 * The failure is read from the codes of EIP-1193, EIP-1474 and WalletConnect. `tookMs` is the time from the
 * question to the refusal.
 */
export function readWalletFailure(error: unknown, tookMs: number): WalletFailure {
  const codes = errorCodesOf(error)
  // WalletConnect has its own codes. The person is at another device, so the time does not show who refused.
  if ([5000, 5001, 5002, 5003].some((code) => codes.has(code))) return 'declined'
  if (codes.has(4001) || codes.has('ACTION_REJECTED')) return tookMs < minHumanMs ? 'blocked' : 'declined'
  if (codes.has(4100) && tookMs < minHumanMs) return 'blocked'
  if (codes.has(-32002)) return 'busy'
  if (codes.has(4100)) return 'unauthorized'
  if ([4200, -32601, -32004].some((code) => codes.has(code))) return 'unsupported'
  if ([4900, 4901].some((code) => codes.has(code))) return 'disconnected'
  return 'failed'
}

/** The codes are those of an error and of all its causes. */
function errorCodesOf(error: unknown): Set<unknown> {
  const codes = new Set<unknown>()
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 10; depth++) {
    if ('code' in at) codes.add(at.code)
    at = 'cause' in at ? at.cause : null
  }
  return codes
}

/** The message says in the reader's language why a wallet failed. */
export function useWalletFailureWords(): (
  failure: WalletFailure | { readonly why: Unanswered },
) => RefusalText {
  const words = useWords()
  return (failure) =>
    typeof failure === 'object'
      ? failure
      : { title: words(`walletFailures.${failure}`), next: words(`walletFailures.${failure}Next`) }
}

/** The callout says why signing in stopped, and what to do next. Declining is not shown as an error. */
export function WalletProblem({
  message,
  neutral = false,
  onUseCode = null,
}: {
  readonly message: RefusalText
  readonly neutral?: boolean
  readonly onUseCode?: (() => void) | null
}) {
  const words = useWords()
  const callout = (
    <RefusalCallout
      refusal={message}
      neutral={neutral}
      actions={
        onUseCode && (
          <Button size="sm" onClick={onUseCode}>
            {words('signIn.useCode')}
          </Button>
        )
      }
    />
  )
  return neutral ? <div role="status">{callout}</div> : callout
}
