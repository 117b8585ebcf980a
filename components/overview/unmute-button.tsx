'use client'

import { useRouter } from 'next/navigation'
import type { LookKind } from '#lib/domain/overview/look-kinds.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { Button } from '../ui/button.tsx'

/** Brings a muted thing back. */
export function UnmuteButton({
  kind,
  about,
  of,
  action,
}: {
  readonly kind: LookKind
  readonly about: string
  /** The thing, in words. */
  readonly of: string
  readonly action: Action<{ readonly about: string }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(action, () => router.refresh(), {
    done: 'Unmuted: it is back in the list.',
  })
  return (
    <form {...form} className="grid gap-2">
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="about" value={about} />
      <Button
        type="submit"
        size="sm"
        pending={pending}
        aria-label={`Unmute ${of}`}
        className="justify-self-end"
      >
        Unmute
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
