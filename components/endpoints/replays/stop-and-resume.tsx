'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { ReasonField } from '#components/ui/form/reason-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import type { ReplayView } from '#lib/endpoints/replays/replays.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { SecretField } from './secret-field.tsx'

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
      description="What was sent stays sent. You can resume it later."
      action={stop}
      fields={{ replayId }}
      done="Stopped: what was sent stays sent."
      onDone={() => router.refresh()}
    />
  )
}

/** The replay goes on with its next delivery. One that posts needs its secret again. */
export function ResumeReplayForm({
  resume,
  replay,
}: {
  readonly resume: Action<{ readonly replayId: string }>
  readonly replay: ReplayView
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(resume, () => router.refresh(), {
    draft: 'resume',
    done: 'Resumed.',
  })
  const title =
    replay.address === null
      ? 'Resume this replay'
      : replay.state === 'interrupted'
        ? 'Interrupted: enter the secret again to resume'
        : 'Enter the secret again to resume'
  return (
    <form {...form}>
      <Card title={title} className="grid max-w-[46rem] gap-5">
        <input type="hidden" name="replayId" value={replay.id} />
        {replay.address !== null && <SecretField error={errorOf('secret')} />}
        <ReasonField error={errorOf('reason')} />
        <ActionOutcome state={state} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <DraftLine draft={draft} />
          <Button type="submit" variant="primary" pending={pending}>
            Resume
          </Button>
        </div>
      </Card>
    </form>
  )
}
