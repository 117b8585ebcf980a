'use client'

import { useState } from 'react'
import { type ChosenPerson, PersonFilter } from '#components/people/person-filter.tsx'
import { isComposing } from '#components/ui/browser/row-keys.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { Checkbox } from '#components/ui/input.tsx'
import { FilterSelect } from '#components/ui/list/filter-bar.tsx'
import type { ListFilter } from '#components/ui/list/filter-chips.tsx'
import { useZone } from '#components/ui/time.tsx'
import { fromZonedInput, toZonedInput } from '#components/ui/zoned-input.ts'
import { filterFlagLabels } from '#lib/search/labels/filter-flag-labels.ts'
import { filterChainLabel, filterReasonLabel, presetLabels } from '#lib/search/labels/filter-labels.ts'
import type { FilterChoices } from '#lib/transactions/filters.ts'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import {
  type FilterName,
  type FilterTexts,
  filterFlags,
  flagsIn,
  timePresets,
} from '#lib/transactions/rules/transaction-filters.ts'
import { amountHint, filterGrid, moreFiltersId, moreFiltersPanelId } from './more-filters-button.tsx'

/**
 * The filters are reason, currency, chain, time, amount, person and flags. A choice takes effect at once, a typed
 * text with Enter or the button.
 */
export function MoreFilters({
  texts,
  choices,
  onChange,
  onPerson,
}: {
  readonly texts: FilterTexts
  readonly choices: FilterChoices
  readonly onChange: (texts: FilterTexts) => void
  readonly onPerson: (person: ChosenPerson) => void
}) {
  const flags = flagsIn(texts.flags)
  const selects: readonly ListFilter[] = [
    {
      name: 'reason',
      label: 'Reason',
      value: texts.reason ?? null,
      choices: choices.reasons.map((reason) => [reason, filterReasonLabel(reason)]),
    },
    {
      name: 'currency',
      label: 'Currency',
      value: texts.currency?.toUpperCase() ?? null,
      choices: choices.currencies.map((currency) => [currency, currency]),
    },
    {
      name: 'chain',
      label: 'Chain',
      value: texts.chain?.toLowerCase() ?? null,
      choices: choices.chains.map((chain) => [chain, filterChainLabel(chain)]),
    },
    {
      name: 'since',
      label: 'Created',
      value: texts.since ?? null,
      choices: Object.keys(timePresets).map((preset) => [
        preset,
        presetLabels[preset as keyof typeof presetLabels],
      ]),
      changes: () => ({ from: null, to: null }),
    },
  ]
  return (
    <section
      id={moreFiltersPanelId}
      aria-label="More filters"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
        const button = document.getElementById(moreFiltersId)
        button?.click()
        button?.focus()
      }}
      className={filterGrid.all}
    >
      {selects.map(({ changes, ...filter }) => (
        <FilterSelect
          key={filter.name}
          filter={filter}
          onChange={(value) => onChange({ [filter.name]: value, ...changes?.(value) })}
        />
      ))}
      <RangeFilters texts={texts} onChange={onChange} />
      <div className={filterGrid.person}>
        <PersonFilter onChoose={onPerson} />
      </div>
      <fieldset className={filterGrid.whole}>
        <legend className="mb-1.5 font-label text-sm">Flags</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {filterFlags.map((flag) => (
            <Checkbox
              key={flag}
              label={filterFlagLabels[flag]}
              checked={flags.includes(flag)}
              onChange={({ target }) => {
                const chosen = filterFlags.filter((each) =>
                  each === flag ? target.checked : flags.includes(each),
                )
                onChange({ flags: chosen.length > 0 ? chosen.join(',') : null })
              }}
            />
          ))}
        </div>
      </fieldset>
    </section>
  )
}

/** Amounts and times have two ends. A typed value is checked before the address gets it. */
export function RangeFilters({
  texts,
  onChange,
}: {
  readonly texts: FilterTexts
  readonly onChange: (texts: FilterTexts) => void
}) {
  const zone = useZone()
  const given = shownTexts(texts, zone)
  const [from, setFrom] = useState(given)
  const [typed, setTyped] = useState(given)
  // The address changed meanwhile, or the times are shown in another zone.
  if (names.some((name) => given[name] !== from[name])) {
    setFrom(given)
    setTyped(given)
  }
  const [wrong, setWrong] = useState<Partial<Record<FilterName, string>>>({})
  const inZone = zone === 'UTC' ? 'In UTC' : `In ${zone.replaceAll('_', ' ')}`
  return (
    <form
      method="dialog"
      noValidate
      className={filterGrid.ranges}
      onSubmit={(event) => {
        event.preventDefault()
        const { fields, unfinished } = readFields(event.currentTarget, zone, texts)
        const asked = { ...fields, ...(fields.from || fields.to ? { since: null } : {}) }
        const found = [
          ...unfinished,
          ...readFilters(asked, 0).wrong.map(({ name, why }) => [name, why] as const),
        ]
        setWrong(Object.fromEntries(found))
        if (found.length > 0) {
          const [first] = found
          event.currentTarget.querySelector<HTMLElement>(`[name="${first?.[0]}"]`)?.focus()
          return
        }
        onChange(asked)
      }}
    >
      {(['min', 'max'] as const).map((name) => (
        <TextField
          key={name}
          label={labels[name]}
          name={name}
          inputMode="decimal"
          autoComplete="off"
          value={typed[name]}
          onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
          placeholder={name === 'min' ? '0' : 'Any'}
          hint={name === 'min' ? amountHint : undefined}
          error={wrong[name]}
        />
      ))}
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          label={labels[name]}
          name={name}
          type="datetime-local"
          value={typed[name]}
          onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
          hint={name === 'from' ? inZone : undefined}
          error={wrong[name]}
        />
      ))}
      <div className={filterGrid.whole}>
        <Button type="submit" size="sm">
          Apply amount and time
        </Button>
      </div>
    </form>
  )
}

const labels = {
  min: 'Amount from',
  max: 'Amount up to',
  from: 'Created from',
  to: 'Created before',
} as const

const names = ['min', 'max', 'from', 'to'] as const

type Range = Record<(typeof names)[number], string | null>

const shownTexts = ({ min, max, from, to }: FilterTexts, zone: string) => ({
  min: min ?? '',
  max: max ?? '',
  from: toZonedInput(from ?? '', zone),
  to: toZonedInput(to ?? '', zone),
})

/**
 * The fields are read as an address has them, with a message for unfinished ones. A time that nobody changed stays
 * the same moment.
 */
function readFields(form: HTMLFormElement, zone: string, texts: FilterTexts) {
  const unfinished: [FilterName, string][] = []
  const read = (name: keyof Range): string | null => {
    const input = form.elements.namedItem(name)
    if (!(input instanceof HTMLInputElement)) return null
    if (input.validity.badInput) unfinished.push([name, 'Enter the day and the time.'])
    const text = input.value.trim()
    if (text === '') return null
    if (name !== 'from' && name !== 'to') return text
    const given = texts[name] ?? ''
    return text === toZonedInput(given, zone) ? given : fromZonedInput(text, zone, name)
  }
  const fields: Range = { min: read('min'), max: read('max'), from: read('from'), to: read('to') }
  return { fields, unfinished }
}
