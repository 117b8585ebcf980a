'use client'

import { Button } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'

/** Why signing in stopped, and what to do next. Declining is no error. */
export function WalletProblem({
  message,
  neutral = false,
  onUseCode = null,
}: {
  readonly message: { readonly title: string; readonly next: string }
  readonly neutral?: boolean
  readonly onUseCode?: (() => void) | null
}) {
  const callout = (
    <Callout
      kind={neutral ? 'info' : 'error'}
      title={message.title}
      actions={
        onUseCode && (
          <Button size="sm" onClick={onUseCode}>
            Use an e-mail code
          </Button>
        )
      }
    >
      {message.next}
    </Callout>
  )
  return neutral ? <div role="status">{callout}</div> : callout
}
