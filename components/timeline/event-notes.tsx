import type { ReactNode } from 'react'
import { Time } from '#components/ui/time.tsx'
import {
  type Doubt,
  deliveryReasonMessage,
  doubtsOf,
  retryOrAgain,
} from '#lib/deliveries/labels/delivery-labels.ts'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import { isRaised } from '#lib/timeline/rules/subject-event.ts'
import { timesReceived } from './event-facts.tsx'

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
