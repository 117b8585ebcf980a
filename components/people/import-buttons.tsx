'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { ImportView } from '#lib/people/import/list-imports.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { counted } from '#lib/words/labels/formats.ts'

type ImportAction = Action<{ readonly importId: string }>

/** The buttons start, stop and resume an import. */
export function ImportButtons({
  view: { id, state, total, broken, created },
  start,
  stop,
}: {
  readonly view: ImportView
  readonly start: ImportAction
  readonly stop: ImportAction
}) {
  const router = useRouter()
  if (state === 'done' || total === broken) return null
  if (state === 'running') return <StopButton id={id} action={stop} />
  const people = counted(total - broken, 'person', 'people')
  const label = state === 'checked' ? `Import ${people}` : 'Resume'
  return (
    <ConfirmedActionButton
      variant="primary"
      label={label}
      title={state === 'checked' ? `Import ${people}?` : 'Resume this import?'}
      description={`${created > 0 ? 'The provider is asked to make those who are new. ' : ''}It stops when you sign out. All admins are told.`}
      action={start}
      fields={{ importId: id }}
      afterFreshSignIn
      done="The import is under way."
      onDone={() => router.refresh()}
    />
  )
}

function StopButton({ id, action }: { readonly id: string; readonly action: ImportAction }) {
  const router = useRouter()
  const done = 'Stopped: you can resume it.'
  const { state, pending, form } = useFormAction(action, () => router.refresh(), { done })
  return (
    <form {...form} className="grid justify-items-end gap-2">
      <input type="hidden" name="importId" value={id} />
      <Button type="submit" variant="secondary" pending={pending}>
        Stop
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
