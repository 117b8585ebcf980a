'use client'

import { useRouter } from 'next/navigation'
import { keepFocusNear } from '#components/ui/browser/focus.ts'
import { Button } from '#components/ui/button.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { counted } from '#lib/words/labels/formats.ts'

/** The button marks every notice that was new to this admin as seen, but none that arrives meanwhile. */
export function MarkSeenButton({
  unseen,
  markSeen,
}: {
  /** The ids of notices are those of `listNotices`. */
  readonly unseen: readonly string[]
  readonly markSeen: Action<{ readonly marked: number; readonly unseen: number }>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(markSeen, () => router.refresh(), {
    done: ({ unseen }) =>
      unseen === 0
        ? 'Nothing is new to you any more.'
        : `Marked as read. ${counted(unseen, 'newer notice', 'newer notices')} arrived meanwhile.`,
  })
  return (
    <form {...form} className="grid gap-3">
      <input type="hidden" name="unseen" value={unseen.join(' ')} />
      <Button ref={keepFocusNear} type="submit" pending={pending}>
        Mark all as read
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
