import { AttentionCount } from '#components/operations/shell/navigation.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import type { AttentionCounts } from '#lib/operations/rules/health.ts'
import type { KnownState } from '#lib/people/standings/standing-states.ts'
import { findWords } from '#lib/timeline/labels/event-labels.ts'

/** The control shows all of a list, or only what the navigation counts of it, with that count. */
export function AttentionSegments({
  name,
  all,
  attention,
}: {
  readonly name: string
  readonly all: { readonly label: string; readonly href: string }
  readonly attention: {
    readonly label: string
    readonly href: string
    readonly count: keyof AttentionCounts
    readonly chosen: boolean
  }
}) {
  return (
    <Segmented
      name={name}
      segments={[
        { key: 'all', ...all, chosen: !attention.chosen },
        {
          key: 'look',
          label: attention.label,
          count: (
            <AttentionCount attention={{ count: attention.count, words: ['not snoozed', 'not snoozed'] }} />
          ),
          href: attention.href,
          chosen: attention.chosen,
        },
      ]}
    />
  )
}

/** A list can be filtered by these states: first those with words, then the others as they came. */
export function stateChoices(
  types: readonly EventType[],
  known: readonly string[],
  states: readonly KnownState[],
): [value: string, label: string][] {
  const all = new Set([...known, ...states.map(({ state }) => state)])
  const labelOf = (state: string) =>
    types.map((type) => findWords(type, state)).find((words) => words !== null)?.label ?? state
  return [...all].map((state) => [state, labelOf(state)])
}
