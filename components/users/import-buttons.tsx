'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import type { ImportView } from '#lib/user-import/list-imports.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { counted } from '../gaps/gap-labels.ts'
import { Button } from '../ui/button.tsx'

type ImportAction = Action<{ readonly importId: string }>

/** Begins an import, stops it, or lets it go on. */
export function ImportButtons({
  view: { id, state, total, broken },
  start,
  stop,
}: {
  readonly view: ImportView
  readonly start: ImportAction
  readonly stop: ImportAction
}) {
  if (state === 'done' || total === broken) return null
  if (state === 'running')
    return (
      <ImportButton id={id} action={stop} label="Stop" done="Stopped: it can go on from where it stood." />
    )
  const label = state === 'checked' ? `Import ${counted(total - broken, 'person', 'people')}` : 'Go on'
  return <ImportButton id={id} action={start} label={label} done="The import is under way." primary />
}

function ImportButton({
  id,
  action,
  label,
  done,
  primary = false,
}: {
  readonly id: string
  readonly action: ImportAction
  readonly label: string
  readonly done: string
  readonly primary?: boolean
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(action, () => router.refresh(), { done })
  return (
    <form {...form} className="grid justify-items-end gap-2">
      <input type="hidden" name="importId" value={id} />
      <Button type="submit" variant={primary ? 'primary' : 'secondary'} pending={pending}>
        {label}
      </Button>
      <ActionOutcome state={state} />
    </form>
  )
}
