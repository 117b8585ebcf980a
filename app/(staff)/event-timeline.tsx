import type { ReactNode } from 'react'
import { SendAgain } from '#components/endpoints/replays/send-again.tsx'
import { DeliveryList, EventFacts, EventNotes, timesReceived } from '#components/timeline/event-facts.tsx'
import {
  type AnsweredTransaction,
  presentStatus,
  TellCustomer,
  type TellingWords,
  tellCustomerTitle,
} from '#components/transactions/tell-customer.tsx'
import { Card } from '#components/ui/card.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { Expandable } from '#components/ui/expandable.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { EventBody } from '#components/ui/reveal/event-body.tsx'
import { Time } from '#components/ui/time.tsx'
import { stateOf } from '#lib/deliveries/rules/event-states.ts'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { eventRefund } from '#lib/timeline/labels/event-facts.ts'
import { eventLabel, rawState, type ShownKind } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { decidingOf, type RankedKind } from '#lib/timeline/rules/status.ts'
import { isRaised, raiseRepeated } from '#lib/timeline/rules/subject-event.ts'
import { type Refund, refundOf } from '#lib/transactions/rules/refund.ts'
import { revealBodyAction } from './actions.ts'

/** The events come newest first, each with its label (§6) and its deliveries. */
export function EventTimeline({
  title = 'What happened',
  events,
  transaction = null,
  explained = [],
  factsOf,
  mayReplay,
  words = null,
}: {
  readonly title?: string
  readonly events: readonly EventDetailsView[]
  /** The events are those of this transaction. */
  readonly transaction?: AnsweredTransaction | null
  /** The page says above what these statuses mean, and does not repeat it. */
  readonly explained?: readonly { readonly type: string | null; readonly state: string | null }[]
  /** `factsOf` gives the facts below an event, and knows its refund. */
  readonly factsOf?: (event: EventDetailsView, refund: Refund | null) => ReactNode
  readonly mayReplay: boolean
  /** Customers are told of the event in these words; null when another part of the page says what they can be told. */
  readonly words?: TellingWords | null
}) {
  const deciding = decidingEventView(events)
  return (
    <Card title={title}>
      <ol>
        {raiseRepeated(events)
          .toReversed()
          .map((event) => {
            const reported = reportedOf(event, event.id === deciding?.id ? transaction : null)
            return (
              <TimelineEvent
                key={event.id}
                event={event}
                reported={{
                  ...reported,
                  stuck: transaction?.stuck ?? false,
                  turn: transaction?.turn ?? null,
                  transaction: transaction && presentStatus(transaction),
                }}
                isLatest={event === events.findLast(({ type }) => type === event.type)}
                isExplained={explained.some(
                  ({ type, state }) => type === event.type && state === stateOf(event),
                )}
                facts={factsOf?.(event, reported.refund)}
                mayReplay={mayReplay}
                words={words}
              />
            )
          })}
      </ol>
    </Card>
  )
}

/** The event that gives the status of a transaction says of a refund what its heading says; any other has only its own amounts. */
const reportedOf = (event: EventDetailsView, transaction: AnsweredTransaction | null) =>
  transaction !== null && isDirection(event.type)
    ? { ...event, flags: transaction.flags, refund: refundOf(transaction) }
    : { ...event, refund: eventRefund(event) }

function TimelineEvent({
  event,
  reported,
  isLatest,
  isExplained,
  facts,
  mayReplay,
  words,
}: {
  readonly event: EventDetailsView
  /** `reported` is the event with what else its words depend on. */
  readonly reported: ShownKind
  /** The event is the latest of its type, so it says who must act. */
  readonly isLatest: boolean
  readonly isExplained: boolean
  readonly facts: ReactNode
  readonly mayReplay: boolean
  readonly words: TellingWords | null
}) {
  const { label, meaning, next, tone } = eventLabel(reported)
  const raw = rawState(event)
  const isMove = isDirection(event.type)
  return (
    <li
      data-tone={tone}
      className="group/event relative grid stacked:grid-cols-[1rem_minmax(0,1fr)] grid-cols-[1.375rem_minmax(0,1fr)] pb-3.5 last:pb-0 sm:grid-cols-[5.75rem_1.375rem_minmax(0,1fr)]"
    >
      <p className="mono col-start-2 pb-1 text-muted text-sm leading-snug sm:col-start-1 sm:row-start-1 sm:pt-0.5">
        {isRaised(event) && event.cameAgainAt ? (
          <Time at={event.cameAgainAt} style="stacked" />
        ) : event.placedBefore ? (
          <>
            before <Time at={event.placedBefore} style="stacked" className="sm:block" />
          </>
        ) : (
          <Time at={event.firstReceivedAt} style="stacked" />
        )}
      </p>
      <span
        aria-hidden
        className="absolute top-6 -bottom-1 left-[0.296875rem] w-[1.5px] bg-line-strong group-last/event:hidden sm:left-[6.046875rem]"
      />
      <span
        aria-hidden
        className="col-start-1 row-start-1 mt-1.5 size-[0.6875rem] rounded-full border-[2.5px] border-tone bg-surface sm:col-start-2"
      />
      <div className="col-start-2 min-w-0 sm:col-start-3 sm:row-start-1">
        <Expandable
          label={`Deliveries and body of ${label}`}
          line={
            <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 text-muted text-table">
              <Pill tone={tone}>{label}</Pill>
              {!isMove && <span>{eventTypeLabel(event.type).label}</span>}
              {!isExplained && (
                <span className="min-w-0">
                  {meaning ?? eventTypeLabel(event.type).meaning}
                  {isLatest && next && ` ${next}`}
                </span>
              )}
              {facts && (
                <span className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-text">{facts}</span>
              )}
              {event.received.length > 1 && (
                <span className="num ml-auto text-sm">{timesReceived(event.received.length)}</span>
              )}
            </div>
          }
        >
          <DeliveryList received={event.received} />
          <div>
            {raw && (
              <p className="mb-1.5 min-w-0 text-faint text-sm">
                Status <span className="mono break-all">{raw}</span>
              </p>
            )}
            <EventBody event={event} label={`Body of ${label}`} reveal={revealBodyAction} />
            {mayReplay && event.bodyLeft === null && <SendAgain eventId={event.id} />}
          </div>
        </Expandable>
        {!facts && !isMove && <EventFacts event={event} />}
        <EventNotes event={event} />
        {isLatest && words && isKnown(event.type) && (
          <Disclosure summary={tellCustomerTitle}>
            <TellCustomer event={reported} words={words} />
          </Disclosure>
        )}
      </div>
    </li>
  )
}

const isKnown = (type: string | null) => type !== null && isEventType(type)

/** This event decides the status of a subject, by the rule of `decidingOf`; null when there is none. */
export const decidingEventView = <Event extends RankedKind>(events: readonly Event[]): Event | null =>
  decidingOf(events, (event) => event) ?? null

/** The subject last received anything at this time. */
export const lastReceivedAt = (events: readonly EventDetailsView[]): string =>
  events.map((event) => event.lastReceivedAt).reduce((a, b) => (a > b ? a : b))
