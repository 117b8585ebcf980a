import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { AccountNumber } from '#components/ui/reveal/reveal.tsx'
import { PersonLink, SearchableId } from '#components/ui/search/searchable.tsx'
import { StatedAmount } from '#components/ui/shared/amount.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import {
  type Doubt,
  deliveryReasonMessage,
  doubtsOf,
  retryOrAgain,
} from '#lib/deliveries/labels/delivery-labels.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { type EventFact, factsOf } from '#lib/timeline/labels/event-facts.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import type { SameReason } from '#lib/timeline/rules/decide-repeat.ts'
import { isRaised } from '#lib/timeline/rules/subject-event.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import { countryName } from '#lib/words/labels/formats.ts'

/** The facts of an event beside its state, as far as the reader's role sees them. */
export function EventFacts({
  event,
}: {
  readonly event: { readonly type: string | null; readonly body: string | null }
}) {
  const facts = factsOf(event)
  if (facts.length === 0) return null
  return (
    <dl className="mt-1 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-table">
      {facts.map((fact) => (
        <div key={fact.path} className="flex min-w-0 max-w-full flex-wrap items-baseline gap-x-1.5">
          <dt className="text-muted">{fact.name}</dt>
          <dd className="min-w-0 break-words">
            <Value fact={fact} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ fact: { kind, value, currency, chain } }: { readonly fact: EventFact }) {
  switch (kind) {
    case 'amount':
      return <StatedAmount value={value} currency={currency} />
    case 'number':
      return <StatedAmount value={value} currency={null} />
    case 'time':
      return <Time at={value} style="exact" className="num" />
    case 'country':
      return countryName(value)
    case 'account-number':
      return <AccountNumber number={value} reveal={null} />
    case 'wallet':
      return <ExplorerLink kind="address" value={value} chain={chain} />
    case 'hash':
      return <ExplorerLink kind="tx" value={value} chain={chain} />
    case 'chain':
      return chainLabel(value)
    case 'id':
      return <SearchableId id={value} />
    case 'person':
      return <PersonLink userUuid={value} />
    case 'text':
      return value
  }
}

/** The list shows this request. */
export interface ListedDelivery {
  readonly id: string
  readonly receivedAt: string
  /** The service's uuid of the endpoint, when it is known. */
  readonly endpointUuid: string | null
  /** The name is null when the endpoint was never seen. */
  readonly endpointName: string | null
  readonly answer: 'sure' | 'unsure'
  readonly reason: SameReason
}

/** Each delivery of one event comes in order, with the reason why it belongs to the event. */
export function DeliveryList({ received }: { readonly received: readonly ListedDelivery[] }) {
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {received.map((delivery) => (
        <li
          key={delivery.id}
          className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm sm:grid-cols-[7.5rem_minmax(0,1fr)]"
        >
          <Time at={delivery.receivedAt} style="clock" className="mono pt-px text-muted" />
          <div className="min-w-0">
            <p>
              {deliveryReasonMessage(delivery.reason)}
              {delivery.answer === 'unsure' && '. Our answer may not have reached the sender'}
            </p>
            <p className="flex flex-wrap items-center gap-x-3 text-muted text-xs">
              {delivery.endpointUuid && (
                <span className="inline-flex max-w-full flex-wrap items-center gap-x-1">
                  Endpoint{' '}
                  {delivery.endpointName ? (
                    <Link
                      href={`/endpoints/${delivery.endpointUuid}`}
                      className="wrap-anywhere min-w-0 py-1 underline underline-offset-2 hover:text-text"
                    >
                      {delivery.endpointName}
                    </Link>
                  ) : (
                    <ShortId id={delivery.endpointUuid} />
                  )}
                </span>
              )}
              <span className="inline-flex max-w-full flex-wrap items-center gap-x-1">
                Delivery <ShortId id={delivery.id} />
              </span>
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

/** The text is "Received once" or "Received 3 times". */
export const timesReceived = (deliveries: number): string =>
  deliveries === 1 ? 'Received once' : `Received ${deliveries} times`

/**
 * Notes say what a reader must know to trust an event: repeated, placed by a rule, contradicted. They are amber
 * only when the state depends on it, and then short, because the page explains it above.
 */
export function EventNotes({ event }: { readonly event: EventDetailsView }) {
  return notesOf(event).map((note) => (
    <p key={note.key} className="mt-1.5">
      <span data-tone={note.tone} className="inline-block rounded-md bg-tone-bg px-2 py-1 text-tone text-xs">
        {note.text}
      </span>
    </p>
  ))
}

interface Note {
  readonly key: string
  readonly tone: Tone
  readonly text: ReactNode
}

function notesOf(event: EventDetailsView): Note[] {
  const unreadable: Note = {
    key: 'unreadable',
    tone: 'held',
    text: 'Its body could not be read as an event',
  }
  return [
    ...(event.unreadable ? [unreadable] : []),
    ...cameAgainNote(event),
    ...doubtsOf(event).map((doubt): Note => doubtNote(event, doubt)),
    ...repeatedNotes(event),
  ]
}

function cameAgainNote(event: EventDetailsView): Note[] {
  if (event.cameAgainAt === null) return []
  const decisive = event.flags.includes('decisive')
  const text = (
    <>
      Received again <Time at={event.cameAgainAt} style="clock" />
      {!decisive && ` (${retryOrAgain})`}
      {isRaised(event) && (
        <>
          . First received <Time at={event.firstReceivedAt} style="clock" />
        </>
      )}
    </>
  )
  return [{ key: 'came-again', tone: decisive ? 'held' : 'wait', text }]
}

function doubtNote(event: EventDetailsView, { flag, label, meaning, matters }: Doubt): Note {
  if (matters) return { key: flag, tone: 'held', text: <span title={meaning}>{label}</span> }
  if (flag !== 'late') return { key: flag, tone: 'wait', text: meaning }
  const text = (
    <>
      Arrived late at <Time at={event.firstReceivedAt} style="clock" />; shown in its proper place, so no
      duration
    </>
  )
  return { key: flag, tone: 'wait', text }
}

/** Repeated steps are no warning: a hold ends by one, and two endpoints and retries are a normal setup. */
function repeatedNotes({ received }: EventDetailsView): Note[] {
  const [first, second] = received
  const notes: Note[] = []
  if (first?.reason.kind === 'happened-again' && !first.reason.undecided)
    notes.push({ key: 'again', tone: 'wait', text: deliveryReasonMessage(first.reason) })
  if (second && received.length > 2)
    notes.push({
      key: 'repeated',
      tone: 'wait',
      text: `${timesReceived(received.length)}: see why below`,
    })
  else if (second && !second.reason.undecided)
    notes.push({ key: 'repeated', tone: 'wait', text: deliveryReasonMessage(second.reason) })
  return notes
}
