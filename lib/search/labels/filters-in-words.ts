import { directions, everyStep } from '#lib/deliveries/rules/steps.ts'
import { directionLabels, stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { type FilterTexts, filterFlags, timePresets } from '#lib/transactions/rules/transaction-filters.ts'
import { dayOf, findDay } from '../rules/read-day.ts'
import { filterFlagLabels } from './filter-flag-labels.ts'
import { filterReasonLabel, presetLabels } from './filter-labels.ts'

/** Recent transactions had these values; `listFilterChoices` reads them. */
interface Choices {
  readonly reasons: readonly string[]
  readonly currencies: readonly string[]
  readonly chains: readonly string[]
}

/**
 * A text may name filters by their labels: "refunded yesterday" names a step and a day. Null when it names
 * none. The day is in UTC; `now` is in milliseconds since 1970.
 */
export function filtersInWords(text: string, choices: Choices, now: number): FilterTexts | null {
  const day = findDay(text)
  let rest = plain(day?.rest ?? text)
  let found: FilterTexts = {}
  for (const [words, filter] of namesOf(choices)) {
    const before = rest
    rest = plain(` ${rest} `.replace(` ${words} `, ' '))
    if (rest !== before) found = { ...filter, ...found }
  }
  const named = Object.keys(found).length > 0
  if (day && (named || rest === '') && !found.since) {
    const { from, to } = dayOf(day.day, now)
    found = { ...found, from: minute(from), to: minute(to) }
  }
  return Object.keys(found).length > 0 ? found : null
}

/** Longer names come first, so that "fiat transfer sent" is not read as "sent". */
const namesOf = ({ reasons, currencies, chains }: Choices) =>
  [
    ...directions.map((direction) => [directionLabels[direction], { direction }] as const),
    ...everyStep.flatMap((step) => named(stepLabel(null, step).label, step, { step })),
    ...reasons.flatMap((reason) => named(filterReasonLabel(reason), reason, { reason })),
    ...currencies.map((currency) => [currency, { currency }] as const),
    ...chains.map((chain) => [chain, { chain }] as const),
    ...filterFlags.map((flags) => [filterFlagLabels[flags], { flags }] as const),
    ...presets.map((since) => [presetLabels[since], { since }] as const),
  ]
    .map(([name, filter]): readonly [string, FilterTexts] => [plain(name), filter])
    .sort(([one], [other]) => other.length - one.length)

const presets = Object.keys(timePresets).filter((name): name is keyof typeof presetLabels =>
  Object.hasOwn(timePresets, name),
)

/** A value is named by its label, and by the service's own spelling. */
const named = <Filter>(label: string, code: string, filter: Filter) =>
  [
    [label, filter],
    [code, filter],
  ] as const

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16)}Z`
