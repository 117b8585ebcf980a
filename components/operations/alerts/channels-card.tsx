import { Card } from '#components/ui/card.tsx'
import { Pill, Tag } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { AlertChannelView } from '#lib/operations/alerts/alert-channels.ts'
import { timeOfDay } from '#lib/operations/rules/quiet-hours.ts'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import {
  AddChannelButton,
  ChangeChannelButton,
  RemoveChannelButton,
  TestChannelButton,
} from './channel-buttons.tsx'
import { channelKindLabels } from './channel-labels.ts'

interface ChannelActions {
  readonly add: Action<{ readonly id: string; readonly secret: string | null }>
  readonly change: Action<{ readonly id: string; readonly secret: string | null }>
  readonly remove: Action<{ readonly id: string }>
  readonly test: Action<SendingResult>
}

/** The card lists the channels of alerts, each with its last result. */
export function ChannelsCard({
  channels,
  actions,
}: {
  readonly channels: readonly AlertChannelView[]
  readonly actions: ChannelActions
}) {
  return (
    <Card id="channels" title="Channels" aside={<AddChannelButton add={actions.add} />}>
      <ul aria-label="Channels" className="-mb-1.5 divide-y">
        {channels.map((channel) => (
          <li key={channel.id} className="flex flex-wrap items-start gap-x-4 gap-y-2.5 py-3.5 text-table">
            <Channel channel={channel} />
            <div className="flex flex-wrap gap-2">
              {(channel.kind !== 'email' || channel.enabled) && (
                <TestChannelButton channel={channel} test={actions.test} />
              )}
              {channel.kind !== 'email' && (
                <>
                  <ChangeChannelButton channel={channel} change={actions.change} />
                  <RemoveChannelButton channel={channel} remove={actions.remove} />
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Channel({ channel }: { readonly channel: AlertChannelView }) {
  const { kind, name, place, quiet } = channel
  const { tone, label } = stateOf(channel)
  return (
    <div className="grid min-w-0 flex-1 basis-72 grid-cols-[minmax(0,1fr)] gap-1">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <strong className="wrap-anywhere min-w-0 font-strong">{name}</strong>
        {kind !== 'email' && <Tag>{channelKindLabels[kind].label}</Tag>}
        <Pill tone={tone}>{label}</Pill>
      </p>
      {place !== null && (
        <p className="mono break-all text-sm">
          {kind === 'email' && <span className="font-sans text-muted">from </span>}
          {place}
        </p>
      )}
      <p className="break-words text-muted text-sm">
        <LastResult channel={channel} />
        {quiet &&
          ` Quiet from ${timeOfDay(quiet.from)} to ${timeOfDay(quiet.until)}, ${quiet.zone.replaceAll('_', ' ')}.`}
      </p>
    </div>
  )
}

function stateOf({ kind, enabled, fault, answeredAt, isReadable }: AlertChannelView) {
  if (kind === 'email' && !enabled) return { tone: 'wait', label: 'Not set up' } as const
  if (!enabled) return { tone: 'wait', label: 'Off' } as const
  if (!isReadable) return { tone: 'fail', label: 'Address not readable' } as const
  if (fault !== null) return { tone: 'fail', label: 'Last call failed' } as const
  return answeredAt === null && kind !== 'email'
    ? ({ tone: 'wait', label: 'Not tried yet' } as const)
    : ({ tone: 'done', label: 'On' } as const)
}

function LastResult({
  channel: { kind, calledAt, answeredAt, fault, waiting },
}: {
  readonly channel: AlertChannelView
}) {
  if (kind === 'email') return fault ?? channelKindLabels.email.about
  if (calledAt === null) return 'Nothing was sent yet.'
  return (
    <>
      Last call <Time at={calledAt} />
      {fault === null ? ', taken.' : `: ${fault}`}
      {fault !== null && answeredAt !== null && (
        <>
          {' '}
          Last taken <Time at={answeredAt} />.
        </>
      )}
      {waiting > 0 &&
        ` ${waiting.toLocaleString('en')} ${waiting === 1 ? 'message waits' : 'messages wait'}.`}
    </>
  )
}
