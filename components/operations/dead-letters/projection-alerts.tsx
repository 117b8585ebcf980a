import { Callout } from '#components/ui/callout.tsx'
import { WholeBody } from '#components/ui/reveal/event-body.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ProjectionStatus } from '#lib/operations/dead-letters/retry-dead-letters.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { RetryDeadLetters } from './retry-dead-letters.tsx'

/** An alert is shown when a delivery has waited for this many seconds. */
const alertAfterSeconds = 10

interface Actions {
  readonly retry: Action<{ readonly retried: number }>
  readonly reveal: Action<{ readonly body: string }>
}

/** The alerts say which received deliveries the timeline does not show yet. */
export function projectionAlerts(projection: ProjectionStatus, { retry, reveal }: Actions): Alert[] {
  const { waiting, oldestSeconds, deadLetters, rebuild, lostMonths, oldestDeadLetters, mayRetry } = projection
  const alerts: Alert[] = []
  if (oldestSeconds !== null && oldestSeconds > alertAfterSeconds)
    alerts.push({
      key: 'behind',
      kind: 'warning',
      shown: (
        <Callout kind="warning" title="The timeline is behind.">
          {deliveries(waiting, 'waits', 'wait')} to be shown, the oldest for {formatDuration(oldestSeconds)}.
          Nothing is lost.
        </Callout>
      ),
    })
  if (deadLetters > 0)
    alerts.push({
      key: 'dead-letters',
      kind: 'warning',
      shown: (
        <Callout
          kind="warning"
          title={`${deliveries(deadLetters, 'is', 'are')} kept but not on the timeline.`}
          actions={mayRetry && <RetryDeadLetters action={retry} />}
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
      ),
    })
  if (lostMonths.length > 0)
    alerts.push({
      key: 'lost-months',
      kind: 'warning',
      shown: (
        <Callout kind="warning" title="Received deliveries are missing from the log.">
          Somebody took {lostMonths.map((name) => name.replace('delivery_', '').replace('_', '-')).join(', ')}{' '}
          out of the database by hand. Pages still show their events, but the bodies are gone.{' '}
          <code className="text-xs">npm run rampart status</code> says what to do.
        </Callout>
      ),
    })
  if (rebuild)
    alerts.push({
      key: 'rebuild',
      kind: 'info',
      shown: (
        <Callout
          title={
            rebuild.newRules
              ? 'This version reads deliveries in a new way.'
              : 'All deliveries are read again.'
          }
        >
          {rebuild.done} of {deliveries(rebuild.total, 'is', 'are')} read again so far. Until all are, the
          others stay as they were. Nothing is lost.
          {rebuild.kept > 0 &&
            ` Of ${deliveries(rebuild.kept, 'the body has', 'the bodies have')} left the log: what is kept of them is read.`}
        </Callout>
      ),
    })
  return alerts
}

const deliveries = (count: number, one: string, many: string) =>
  count === 1 ? `1 delivery ${one}` : `${count} deliveries ${many}`
