import { Card } from '#components/ui/card.tsx'
import { Pill, Tag } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { AlertChannelView } from '#lib/operations/alerts/alert-channels.ts'
import type { AlertRuleView } from '#lib/operations/alerts/alert-rules.ts'
import { plainNumber, urgencyLabels } from '#lib/operations/labels/alert-labels.ts'
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
import { ChangeRuleButton, type NamedChannel } from './rule-button.tsx'

/** Each condition has a rule. A narrow page shows its facts below each other. */
export function RulesTable({
  rules,
  channels,
  change,
}: {
  readonly rules: readonly AlertRuleView[]
  readonly channels: readonly NamedChannel[]
  readonly change: Action<{ readonly condition: AlertRuleView['condition'] }>
}) {
  return (
    <Table>
      <thead className="max-md:sr-only">
        <tr>
          <Th className="w-[46%]">Condition</Th>
          <Th>Urgency</Th>
          <Th>Fires at</Th>
          <Th>Channels</Th>
          <Th>
            <span className="sr-only">Change</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <Tr key={rule.condition} className="max-md:block max-md:px-3 max-md:py-3">
            <Td className="h-auto whitespace-normal! py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
              <span className="font-strong">{rule.title}</span>
              <span className="block text-muted text-sm">{rule.measures}</span>
            </Td>
            <Td className={cell}>
              <Tag>{urgencyLabels[rule.urgency]}</Tag>
            </Td>
            <Td className={cell}>
              {rule.enabled ? firesLabel(rule) : <span className="text-muted">Off</span>}
            </Td>
            <Td className={rule.channels === null ? 'max-md:hidden' : cell}>
              {channelsLabel(rule, channels)}
            </Td>
            <Td className={cell}>
              <ChangeRuleButton rule={rule} channels={channels} change={change} />
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}

/** The text reads "5 or more minutes", or "at once" for nothing. */
const firesLabel = ({ fires, threshold, unit }: AlertRuleView) =>
  threshold === 0 && fires === 'at-least'
    ? 'at once'
    : `${plainNumber(threshold)} or ${fires === 'at-least' ? 'more' : 'fewer'} ${unit}`

/** A rule none of whose channels reaches anybody goes to all. */
function channelsLabel(
  { channels: chosen, enabled }: AlertRuleView,
  channels: readonly NamedChannel[],
): string {
  if (chosen === null) return 'All channels'
  const names = channels.filter((one) => one.enabled && chosen.includes(one.id)).map(({ name }) => name)
  if (names.length > 0) return names.join(', ')
  return enabled ? 'All channels: those chosen reach nobody' : 'No channel'
}

const cell = 'max-md:mr-4 max-md:inline-block max-md:h-auto max-md:px-0! max-md:text-sm whitespace-normal!'

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

function stateOf({ kind, enabled, notifies, fault, answeredAt, isReadable }: AlertChannelView) {
  if (kind === 'email' && !enabled) return { tone: 'wait', label: 'Not set up' } as const
  if (kind === 'email' && !notifies) return { tone: 'held', label: 'Nobody gets it' } as const
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
