import { Link } from '#components/ui/link.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Role } from '#lib/access/rules/roles.ts'
import type { AlertView } from '#lib/operations/alerts/alerts.ts'
import { urgencyLabels } from '#lib/operations/labels/alert-labels.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { alertTitle, messagesLabel, openPageOf, worstLabel } from './alert-words.ts'

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
