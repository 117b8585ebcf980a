import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import type { KnownState } from '#lib/people/standings/list-choices.ts'
import { findWords } from '#lib/timeline/labels/event-words.ts'

/** The states that a list can be filtered by: those with words, then those that came without, as they came. */
export function stateChoices(
  types: readonly EventType[],
  known: readonly string[],
  states: readonly KnownState[],
  chosen: string | undefined,
): [value: string, label: string][] {
  const all = new Set([...known, ...states.map(({ state }) => state), ...(chosen ? [chosen] : [])])
  const labelOf = (state: string) =>
    types.map((type) => findWords(type, state)).find((words) => words !== null)?.label ?? state
  return [...all].map((state) => [state, labelOf(state)])
}
