'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { lookLabels } from '#lib/operations/labels/look-labels.ts'
import type { LookKind } from '#lib/operations/rules/look-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** Takes a row off the overview, with a note. */
export function MuteButton({
  kind,
  about,
  since,
  of,
  action,
}: {
  readonly kind: LookKind
  readonly about: string
  readonly since: string
  /** The thing, in words. */
  readonly of: string
  readonly action: Action<{ readonly about: string }>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Mute"
      of={of}
      variant="ghost"
      tabStop={false}
      title={`Mute ${lookLabels[kind].one}?`}
      description="It leaves this list for everybody until something new happens to it. It stays under “Muted”, with your note, and can be brought back."
      action={action}
      fields={{ kind, about, since }}
      done="Muted until something new happens to it."
      onDone={() => router.refresh()}
    />
  )
}
