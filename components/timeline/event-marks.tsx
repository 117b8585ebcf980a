import { clsx } from 'clsx'
import { Time } from '#components/ui/time.tsx'
import { doubtsOf, retryOrAgain } from '#lib/deliveries/labels/delivery-labels.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { type EventFlag, raiseRepeated } from '#lib/timeline/rules/subject-event.ts'

interface Marked {
  readonly flags: readonly EventFlag[]
  readonly cameAgainAt: string | null
}

/** A line of a list shows only the doubts of an event on which its subject's state depends. */
export function EventMarks({ event }: { readonly event: Marked }) {
  return doubtsOf(event)
    .filter(({ matters }) => matters)
    .map(({ flag, label, meaning }) => (
      <span key={flag} title={meaning} className="text-held text-xs">
        {label}
      </span>
    ))
}

/**
 * The mark says that the event came again, which the sender does not explain. It is grey when no state depends on
 * it.
 */
export function CameAgain({ event, className }: { readonly event: Marked; readonly className?: string }) {
  if (event.cameAgainAt === null) return null
  return (
    <span
      className={clsx('text-xs', event.flags.includes('decisive') ? 'text-held' : 'text-muted', className)}
    >
      received again <Time at={event.cameAgainAt} style="clock" className="num" /> ({retryOrAgain})
    </span>
  )
}

/**
 * The mark is beside the state of a subject: an event came again that may change it, or the state depends on
 * another doubt. Nothing is shown without one.
 */
export function UndecidedState({ events }: { readonly events: readonly Undecided[] }) {
  const decisive = raiseRepeated(events).filter(({ flags }) => flags.includes('decisive'))
  const last = decisive.findLast(({ cameAgainAt }) => cameAgainAt !== null) ?? decisive.at(-1)
  if (!last) return null
  const { label } = eventLabel(last)
  if (last.cameAgainAt !== null)
    return (
      <p className="mt-1 text-held text-sm">
        Latest: {label}, <CameAgain event={last} className="text-sm!" />
      </p>
    )
  const doubt = doubtsOf(last).find(({ flag }) => flag !== 'conflict' && flag !== 'amount-not-readable')
  return (
    doubt && (
      <p className="mt-1 text-muted text-sm">
        <span className="text-held">{doubt.label}</span>, {label}: {doubt.meaning}
      </p>
    )
  )
}

type Undecided = Marked &
  Parameters<typeof eventLabel>[0] & { readonly id: string; readonly cameAgainId: string | null }
