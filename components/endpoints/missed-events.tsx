import Link from 'next/link'
import type { Missed, TimeOff } from '#lib/replay/read-missed.ts'
import type { Alert } from '../alerts/alert-slot.tsx'
import { counted } from '../gaps/gap-labels.ts'
import { ButtonLink } from '../ui/button-link.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'
import type { MissingHere } from './endpoint-alerts.tsx'

/** What an endpoint elsewhere was not sent while it was off. */
export interface MissedEvents {
  readonly endpointUuid: string
  readonly off: TimeOff
  readonly missed: Missed
}

/** While it is off: what is said of it, and the way to send it there; null when nothing happened meanwhile. */
export function missedSoFar({ endpointUuid, off, missed }: MissedEvents): MissingHere | null {
  if (missed.count === 0) return null
  return {
    words: <Stored missed={missed} />,
    actions: <SendMissed endpointUuid={endpointUuid} off={off} missed={missed} />,
  }
}

/** Once it is on again; none when nothing happened meanwhile. */
export function missedAlerts({ endpointUuid, off, missed }: MissedEvents): Alert[] {
  if (missed.count === 0) return []
  const shown = missed.sentIn ? (
    <Callout
      kind="success"
      title={
        <>
          What it missed <TimeOffWords off={off} /> was sent.
        </>
      }
    >
      <Link href={`/replays/${missed.sentIn}`} className="underline hover:text-text">
        Open the replay
      </Link>{' '}
      to see what came of each.
    </Callout>
  ) : (
    <Callout
      kind="warning"
      title={
        <>
          It got nothing <TimeOffWords off={off} />.
        </>
      }
      actions={<SendMissed endpointUuid={endpointUuid} off={off} missed={missed} />}
    >
      <Stored missed={missed} />
    </Callout>
  )
  return [{ key: 'missed', kind: missed.sentIn ? 'success' : 'warning', shown }]
}

const Stored = ({ missed: { count, tooMany } }: Pick<MissedEvents, 'missed'>) => (
  <>
    {tooMany ? 'More than ' : ''}
    {counted(count, 'event', 'events')} of the types that it is subscribed to arrived here meanwhile, and all
    of it is stored. What failed there before is not known here: choose an earlier time if it lacks that too.
  </>
)

const SendMissed = ({ endpointUuid, off, missed: { filter, count, tooMany } }: MissedEvents) => (
  <ButtonLink href={`/replays/new?${new URLSearchParams({ ...filter, send: endpointUuid })}`}>
    Send what it missed <TimeOffWords off={off} /> ({tooMany && 'more than '}
    {count.toLocaleString('en')})…
  </ButtonLink>
)

const TimeOffWords = ({ off: { from, until } }: Pick<MissedEvents, 'off'>) => (
  <span>
    {until ? 'from' : 'since'} <Time at={from} style="minute" className="num" />
    {until && (
      <>
        {' '}
        to <Time at={until} style="minute" className="num" />
      </>
    )}
  </span>
)
