'use client'

import { useRouter } from 'next/navigation'
import type { ProjectionStatus } from '#lib/dead-letters/read-projection-status.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { formatDuration } from '#lib/labels/duration.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { WholeBody } from '../reveal/event-body.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'

/** Seconds for which a delivery may wait before an alert is shown. */
const alertAfterSeconds = 10

/** Says which received deliveries the timeline does not show yet; renders nothing when it shows all. */
export function ProjectionAlerts({
  projection,
  action,
  reveal,
}: {
  readonly projection: ProjectionStatus
  readonly action: Action<{ readonly retried: number }>
  readonly reveal: Action<{ readonly body: string }>
}) {
  const router = useRouter()
  const { waiting, oldestSeconds, deadLetters, rebuild, oldestDeadLetters, mayRetry } = projection
  const late = oldestSeconds !== null && oldestSeconds > alertAfterSeconds
  if (!late && deadLetters === 0 && !rebuild) return null
  return (
    <div className="mt-5 grid gap-3">
      {late && (
        <Callout kind="warning" title="The timeline is behind.">
          {deliveries(waiting, 'waits', 'wait')} to be shown, the oldest for {formatDuration(oldestSeconds)}.
          Nothing is lost.
        </Callout>
      )}
      {rebuild && (
        <Callout title="This version reads deliveries in a new way.">
          {rebuild.done} of {deliveries(rebuild.total, 'is', 'are')} read again so far. Until all are, the
          others stay as they were. Nothing is lost.
        </Callout>
      )}
      {deadLetters > 0 && (
        <Callout
          kind="warning"
          title={`${deliveries(deadLetters, 'is', 'are')} kept but not on the timeline.`}
          actions={
            mayRetry && (
              <ConfirmedActionButton
                label="Try again"
                title="Try these deliveries again?"
                description="What can be read now goes to the timeline. What cannot stays in this list."
                action={action}
                fields={{}}
                onDone={() => router.refresh()}
              />
            )
          }
        >
          Reading failed, which is a fault of this program. Nothing is lost.
          <ul className="mt-2 grid gap-2">
            {oldestDeadLetters.map(({ deliveryId, since, error, wholeBody }) => (
              <li key={deliveryId} className="min-w-0 break-words">
                <code className="text-xs">{deliveryId}</code>, since <Time at={since} style="exact" />:{' '}
                {error}
                <WholeBody id={deliveryId} wholeBody={wholeBody} label="What it says" reveal={reveal} />
              </li>
            ))}
          </ul>
        </Callout>
      )}
    </div>
  )
}

const deliveries = (count: number, one: string, many: string) =>
  count === 1 ? `1 delivery ${one}` : `${count} deliveries ${many}`
