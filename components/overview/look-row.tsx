import Link from 'next/link'
import { isCompanyType } from '#lib/domain/delivery/event-types.ts'
import type { EventView } from '#lib/events/event-view.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { formatDuration } from '#lib/labels/duration.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { headlineLine } from '#lib/labels/headline.ts'
import { inSentence } from '#lib/labels/in-sentence.ts'
import type { EndpointLook, LookView, TransactionLook } from '#lib/overview/look-view.ts'
import { subjectPath } from '../browser/subject-path.ts'
import { endpointStatusLabel } from '../endpoints/endpoint-labels.ts'
import { gapKindLabels, gapStateLabel, gapTitle } from '../gaps/gap-labels.ts'
import { headlineFacts } from '../headline-facts.ts'
import { RowPerson } from '../search/row-person.tsx'
import { StepPill } from '../step-pill.tsx'
import { Pill } from '../ui/pill.tsx'
import { Time, type TimeStyle } from '../ui/time.tsx'
import { MuteButton } from './mute-button.tsx'

/** One thing that may need a look: what it is, what is known of it, since when, and its page at one click. */
export function LookRow({
  look,
  time,
  mute,
}: {
  readonly look: LookView
  readonly time: TimeStyle
  /** Null for whoever may not mute. */
  readonly mute: Action<{ readonly about: string }> | null
}) {
  const { href, title, pill, more } = wordsOf(look)
  return (
    <li className="relative flex flex-wrap items-center justify-end gap-x-4 gap-y-1 border-b px-3.5 py-2.5 text-table last:border-b-0 hover:bg-hover">
      <div className="flex min-w-0 flex-1 basis-56 flex-wrap items-center gap-x-2.5 gap-y-1">
        <Link href={href} data-row className="min-w-0 break-words font-strong row-link">
          {title}
        </Link>
        {pill}
        {more && <span className="min-w-0 basis-full break-words text-muted text-sm">{more}</span>}
      </div>
      <div className="flex items-center gap-3">
        <Time at={look.since} style={time} className="num whitespace-nowrap text-muted text-sm" />
        {mute && (
          <span className="relative">
            <MuteButton kind={look.kind} about={look.about} since={latestOf(look)} action={mute} />
          </span>
        )}
      </div>
    </li>
  )
}

/** A transaction may have been told of after it came to where it stands: a mute covers that too. */
const latestOf = (look: LookView) => ('transaction' in look ? look.transaction.lastMoveAt : look.since)

interface Words {
  readonly href: string
  readonly title: string
  readonly pill: React.ReactNode
  readonly more: React.ReactNode
}

function wordsOf(look: LookView): Words {
  switch (look.kind) {
    case 'held':
    case 'stuck':
    case 'failed':
    case 'limit-breached':
    case 'conflict':
      return ofTransaction(look)
    case 'gap':
    case 'endpoint':
      if ('endpoint' in look) return ofEndpoint(look.endpoint)
      return {
        href:
          look.kind === 'endpoint' && look.gap.endpoint
            ? `/endpoints/${look.gap.endpoint.uuid}`
            : `/gaps/${look.gap.id}`,
        title: gapTitle(look.gap),
        pill: <Pill tone={gapStateLabel(look.gap).tone}>{gapStateLabel(look.gap).label}</Pill>,
        more: null,
      }
    default:
      return {
        href: subjectPath(look.event.subjectId, isCompanyType(look.event.type)),
        title: eventTypeLabel(look.event.type).label,
        pill: look.event.status !== null && <EventPill event={look.event} />,
        more: who(look.event.userEmail, look.event.entityUuid),
      }
  }
}

function ofTransaction({ transaction, before, since }: TransactionLook): Words {
  const { direction, step, reason, stuck, flags, userEmail, userUuid } = transaction
  return {
    href: subjectPath(transaction.subjectId),
    title: headlineLine({ ...headlineFacts(transaction), stuck }),
    pill: <StepPill direction={direction} step={step} reason={reason} stuck={stuck} flags={flags} />,
    more: (
      <>
        {who(userEmail, userUuid)}
        {before.map((event) => (
          <span key={event.id}>
            {' · '}
            {formatDuration((Date.parse(since) - Date.parse(event.firstReceivedAt)) / 1000)} earlier:{' '}
            {eventTypeLabel(event.type).label}
            {event.status !== null && ` ${inSentence(eventLabel(event).label)}`}
          </span>
        ))}
      </>
    ),
  }
}

function ofEndpoint({ uuid, name, status }: EndpointLook['endpoint']): Words {
  const { label, tone } = endpointStatusLabel(status)
  return {
    href: `/endpoints/${uuid}`,
    title: gapKindLabels[status === 'auto_disabled' ? 'auto-disabled' : 'disabled'].title(name),
    pill: <Pill tone={tone}>{label}</Pill>,
    more: null,
  }
}

function EventPill({ event }: { readonly event: EventView }) {
  const { label, tone } = eventLabel(event)
  return <Pill tone={tone}>{label}</Pill>
}

const who = (email: string | null, uuid: string | null) =>
  uuid === null ? (email ?? 'nobody is named') : <RowPerson userUuid={uuid} email={email} />
