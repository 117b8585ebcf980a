'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'

/** The button that stops a replay. */
export function StopReplay({
  stop,
  replayId,
}: {
  readonly stop: Action<{ readonly replayId: string }>
  readonly replayId: string
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Stop"
      title="Stop this replay?"
      description="What was sent stays sent. It can go on later, from where it stood."
      action={stop}
      fields={{ replayId }}
      onDone={() => router.refresh()}
    />
  )
}
