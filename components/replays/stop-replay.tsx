'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/domain/action-state.ts'
import { DeedDialog } from '../endpoints/deed-dialog.tsx'

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
    <DeedDialog
      label="Stop"
      title="Stop this replay?"
      consequences="What was sent stays sent. It can go on later, from where it stood."
      action={stop}
      fields={{ replayId }}
      onDone={() => router.refresh()}
    />
  )
}
