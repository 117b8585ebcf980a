import { Tag } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import type { AlertRuleView } from '#lib/operations/alerts/alert-rules.ts'
import { plainNumber, urgencyLabels } from '#lib/operations/labels/alert-labels.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
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

/** A removed channel stays in the rule, and is not named. */
function channelsLabel({ channels: chosen }: AlertRuleView, channels: readonly NamedChannel[]): string {
  if (chosen === null) return 'All channels'
  const names = channels.filter(({ id }) => chosen.includes(id)).map(({ name }) => name)
  return names.length === 0 ? 'No channel' : names.join(', ')
}

const cell = 'max-md:mr-4 max-md:inline-block max-md:h-auto max-md:px-0! max-md:text-sm whitespace-normal!'
