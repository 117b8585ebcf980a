import { ButtonLink, Link } from '#components/ui/link.tsx'
import { Pill, Tag } from '#components/ui/pill.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { permissionOfPage } from '#lib/access/rules/pages.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import type { AlertView } from '#lib/operations/alerts/alerts.ts'
import {
  alertSubjectLabel,
  plainNumber,
  urgencyLabels,
  valueWithUnit,
} from '#lib/operations/labels/alert-labels.ts'
import { conditionOf } from '#lib/operations/rules/alert-conditions.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { AcknowledgeButton } from './acknowledge-button.tsx'

/** Each resolved alert is a row. A narrow page shows its facts below each other. */
export function AlertHistory({
  alerts,
  role,
}: {
  readonly alerts: readonly AlertView[]
  readonly role: Role
}) {
  return (
    <ListTable>
      <thead className="max-md:sr-only">
        <tr>
          <Th className="w-[40%]">What happened</Th>
          <Th className="w-28">Urgency</Th>
          <Th>Began</Th>
          <Th>Resolved</Th>
          <Th numeric className="w-24">
            Length
          </Th>
          <Th className="w-[18%]">Acknowledged by</Th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <Row key={alert.id} alert={alert} role={role} />
        ))}
      </tbody>
    </ListTable>
  )
}

function Row({ alert, role }: { readonly alert: AlertView; readonly role: Role }) {
  const { urgency, beganAt, resolvedAt, acknowledged, messages } = alert
  const title = alertTitle(alert)
  const page = openPageOf(role, alert)
  const ended = resolvedAt ?? beganAt
  return (
    <Tr className="relative transition-colors hover:bg-hover max-md:block max-md:px-gutter max-md:py-3">
      <Td className="h-auto wrap-anywhere whitespace-normal! py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
        {page ? (
          <Link href={page} data-row className="font-strong row-link">
            {title}
          </Link>
        ) : (
          <span className="font-strong">{title}</span>
        )}
        <span className="block text-muted text-sm">
          {worstLabel(alert)} · {messagesLabel(messages)}
        </span>
      </Td>
      <Td className={cell}>
        <Tag>{urgencyLabels[urgency]}</Tag>
      </Td>
      <Td className={cell}>
        <span className="text-muted md:hidden">from </span>
        <Time at={beganAt} style="clock" />
      </Td>
      <Td className={cell}>
        <span className="text-muted md:hidden">to </span>
        <Time at={ended} style="clock" />
      </Td>
      <Td numeric className={cell}>
        <span className="text-muted md:hidden">for </span>
        {formatDuration((Date.parse(ended) - Date.parse(beganAt)) / 1000)}
      </Td>
      <Td className={cell}>
        {acknowledged ? (
          <>
            <span className="text-muted md:hidden">acknowledged by </span>
            {acknowledged.by}
          </>
        ) : (
          <span className="text-muted max-md:hidden">Nobody</span>
        )}
      </Td>
    </Tr>
  )
}

const cell =
  'whitespace-normal! max-md:mr-4 max-md:inline-block max-md:overflow-visible! max-md:h-auto max-md:px-0! max-md:text-sm'

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

/** The title of an alert names its subject, where a condition has several. */
export function alertTitle({ condition, subject, title }: AlertView): string {
  const about = alertSubjectLabel(condition, subject)
  return about === '' ? title : `${title}: ${about}`
}

/** The sentence says how many messages about the alert were sent, wait or failed. */
export function messagesLabel({ waiting, sent, failed }: AlertView['messages']): string {
  const parts = [
    ...(sent > 0 ? [`${counted(sent)} sent`] : []),
    ...(waiting > 0 ? [`${counted(waiting)} waiting`] : []),
    ...(failed > 0 ? [`${counted(failed)} not sent`] : []),
  ]
  return parts.length === 0 ? 'Nobody was notified' : parts.join(', ')
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`

/** The text has the worst value and the threshold: "up to 12 minutes, threshold 5". */
export function worstLabel({ condition, worst, threshold }: AlertView): string {
  const { fires, unit } = conditionOf(condition)
  return `${fires === 'at-least' ? 'up to' : 'down to'} ${valueWithUnit(worst, unit)}, threshold ${plainNumber(threshold)}`
}

/** The page of an alert, where this role may open it; null otherwise. */
export function openPageOf(role: Role, { page }: AlertView): string | null {
  const permission = permissionOfPage(page.split('?', 1).join(''))
  return page !== '/alerts' && permission !== null && may(role, permission) ? page : null
}
