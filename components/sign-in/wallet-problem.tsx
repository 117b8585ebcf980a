'use client'

import { useWords } from '../browser/words.tsx'
import { RefusalCallout, type RefusalText } from '../form/refusal-callout.tsx'
import { Button } from '../ui/button.tsx'

/** Why signing in stopped, and what to do next. Declining is no error. */
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
