'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import type { GapView } from '#lib/gaps/gap-view.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { CloseGap } from './close-gap.tsx'

export interface GapActions {
  readonly close: Action<{ readonly gapId: string }>
  readonly reopen: Action<{ readonly gapId: string }>
}

/** Closing a gap with what was found, or opening it again. */
export function GapActionButtons({ gap, actions }: { readonly gap: GapView; readonly actions: GapActions }) {
  const router = useRouter()
  const show = () => router.refresh()
  if (!gap.closed) {
    return <CloseGap gapId={gap.id} lasts={gap.endedAt === null} action={actions.close} onDone={show} />
  }
  return (
    <ConfirmedActionButton
      label="Open again"
      title="Open this gap again?"
      description="Transactions and the timeline warn of it again. What was said about it stays in the audit."
      action={actions.reopen}
      fields={{ gapId: gap.id }}
      onDone={show}
    />
  )
}
