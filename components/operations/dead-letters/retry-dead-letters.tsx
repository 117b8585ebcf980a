'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** Dead letters are read again. */
export function RetryDeadLetters({ action }: { readonly action: Action<{ readonly retried: number }> }) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Try again"
      title="Try these deliveries again?"
      description="What can be read now goes to the timeline. What cannot stays in this list."
      action={action}
      fields={{}}
      done={({ retried }) => `${retried === 1 ? '1 delivery is' : `${retried} deliveries are`} read again.`}
      onDone={() => router.refresh()}
    />
  )
}
