import { Callout } from '#components/ui/callout.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { TimeOff } from '#lib/deliveries/rules/endpoint-states.ts'
import type { Missed, SentSince } from '#lib/endpoints/replays/new-replay.ts'
import type { ReplayState } from '#lib/endpoints/replays/replays.ts'
import { counted } from '#lib/words/labels/formats.ts'
import type { MissingHere } from './endpoint-alerts.tsx'

/** An endpoint elsewhere was not sent these events while it was off. */
export interface MissedEvents {
  readonly endpointUuid: string
  readonly off: TimeOff
  readonly missed: Missed
}

/**
 * The endpoint is off: the result has the words and the button that sends the events. Null when nothing happened
 * meanwhile.
 */
export function missedSoFar(times: readonly MissedEvents[]): MissingHere | null {
  const lasting = times.find(({ off }) => off.until === null)
  if (!lasting || lasting.missed.count === 0) return null
  return { words: <Stored missed={lasting.missed} />, actions: <SendMissed {...lasting} />, isSettled: false }
}

/** Each time off that has ended has an alert, if anything happened in it. */
export const missedAlerts = (times: readonly MissedEvents[]): Alert[] =>
  times.filter(({ off, missed }) => off.until !== null && missed.count > 0).map(missedAlert)

function missedAlert({ endpointUuid, off, missed }: MissedEvents): Alert {
  const key = `missed ${off.from}`
  if (isAllSent(missed)) {
    const shown = (
      <Callout
        kind="success"
        title={
          <>
            What it missed <TimeOffWords off={off} /> was sent again.
          </>
        }
      >
        <ReplayLink replayId={missed.sent.replay.id} /> to see the result of each.
      </Callout>
    )
    return { key, kind: 'success', shown }
  }
  const shown = (
    <Callout
      kind="warning"
      title={
        <>
          It got no deliveries <TimeOffWords off={off} />.
        </>
      }
      actions={<SendMissed endpointUuid={endpointUuid} off={off} missed={missed} />}
    >
      <Stored missed={missed} />
    </Callout>
  )
  return { key, kind: 'warning', shown }
}

const isAllSent = (missed: Missed): missed is Missed & { readonly sent: SentSince } =>
  missed.sent !== null && !missed.tooMany && missed.sent.count >= missed.count

const Stored = ({ missed }: Pick<MissedEvents, 'missed'>) => (
  <>
    {missed.tooMany ? 'More than ' : ''}
    {counted(missed.count, 'event', 'events')} of its types arrived here meanwhile and are stored.{' '}
    {missed.sent && (
      <>
        {sentWords(missed, missed.sent)} <ReplayLink replayId={missed.sent.replay.id} /> to see the result of
        each.{' '}
      </>
    )}
    Earlier failures aren’t visible here; choose an earlier start if needed.
  </>
)

/** The words say how many of the events replays have sent, and the state of the latest replay. */
function sentWords({ count, tooMany }: Missed, { count: sent, replay }: SentSince): string {
  const much = `${sent === 0 ? 'None' : sent.toLocaleString('en')} of ${tooMany ? 'more than ' : ''}${count.toLocaleString('en')}`
  const failures = `${counted(replay.failed, 'delivery', 'deliveries')} of it failed`
  const stands = {
    running: 'A replay is under way',
    stopped: 'The replay was stopped',
    failing: 'The replay gave up',
    interrupted: 'The replay was interrupted',
    done: replay.failed > 0 ? 'The replay is done' : 'The replay did not include the rest',
  } as const satisfies Record<ReplayState, string>
  return `${much} ${sent === 1 ? 'was' : 'were'} delivered there since. ${stands[replay.state]}${replay.failed > 0 ? `, and ${failures}` : ''}.`
}

const ReplayLink = ({ replayId }: { readonly replayId: string }) => (
  <Link href={`/replays/${replayId}`} className="underline hover:text-text">
    Open the replay
  </Link>
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
