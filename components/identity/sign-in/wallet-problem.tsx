'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { RefusalCallout, type RefusalText } from '#components/ui/form/refusal-callout.tsx'

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
