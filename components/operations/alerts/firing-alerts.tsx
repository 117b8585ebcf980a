import { ButtonLink } from '#components/ui/button-link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import { may, type Role } from '#lib/access/rules/roles.ts'
import type { AlertView } from '#lib/operations/alerts/alerts.ts'
import { urgencyLabels } from '#lib/operations/labels/alert-labels.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { AcknowledgeButton } from './acknowledge-button.tsx'
import { alertTitle, messagesLabel, openPageOf } from './alert-words.ts'

/** Each firing alert shows what is wrong, since when, what to do, and who works on it. */
export function FiringAlerts({
  alerts,
  role,
  acknowledge,
  unacknowledge,
}: {
  readonly alerts: readonly AlertView[]
  readonly role: Role
  readonly acknowledge: Action<{ readonly id: string }>
  readonly unacknowledge: Action<{ readonly id: string }>
}) {
  return (
    <ul aria-label="Firing alerts" className="divide-y">
      {alerts.map((alert) => {
        const { id, urgency, summary, whatToDo, firedAt, beganAt, acknowledged, messages } = alert
        const title = alertTitle(alert)
        const page = openPageOf(role, alert)
        return (
          <li key={id} className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 py-3.5 text-table">
            <div className="grid min-w-0 flex-1 basis-80 grid-cols-[minmax(0,1fr)] gap-1">
              <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <Pill tone={urgency === 'urgent' ? 'fail' : 'held'}>{urgencyLabels[urgency]}</Pill>
                <strong className="wrap-anywhere min-w-0 font-strong">{title}</strong>
              </p>
              <p className="wrap-anywhere">
                {summary}. {whatToDo}
              </p>
              <p className="text-muted text-sm">
                Since <Time at={beganAt} style="minute" />, fired <Time at={firedAt} /> ·{' '}
                {messagesLabel(messages)}
                {acknowledged && (
                  <>
                    {' '}
                    · acknowledged by {acknowledged.by} <Time at={acknowledged.at} />
                  </>
                )}
              </p>
            </div>
            <div className="flex flex-wrap items-start gap-2">
              {page && (
                <ButtonLink size="sm" href={page} data-row aria-label={`Open the page: ${title}`}>
                  Open
                </ButtonLink>
              )}
              {may(role, 'work-on-cases') &&
                (acknowledged ? (
                  <AcknowledgeButton
                    key="acknowledged"
                    id={id}
                    of={title}
                    label="Unacknowledge"
                    done="No longer acknowledged. The alert is repeated again."
                    action={unacknowledge}
                  />
                ) : (
                  <AcknowledgeButton
                    key="open"
                    id={id}
                    of={title}
                    label="Acknowledge"
                    done="Acknowledged. Its end is still sent."
                    action={acknowledge}
                  />
                ))}
            </div>
          </li>
        )
      })}
    </ul>
  )
}
