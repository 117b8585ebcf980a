'use client'

import { type ChosenPerson, PersonFilter } from '#components/people/person-filter.tsx'
import { Checkbox } from '#components/ui/checkbox.tsx'
import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/select.tsx'
import { filterFlagLabels } from '#lib/search/labels/filter-flag-labels.ts'
import { filterChainLabel, filterReasonLabel, presetLabels } from '#lib/search/labels/filter-labels.ts'
import type { FilterChoices } from '#lib/transactions/list-filter-choices.ts'
import {
  type FilterTexts,
  filterFlags,
  flagsIn,
  timePresets,
} from '#lib/transactions/rules/transaction-filters.ts'
import { filterGrid } from './filter-grid.ts'
import { moreFiltersId, moreFiltersPanelId } from './more-filters-button.tsx'
import { RangeFilters } from './range-filters.tsx'

/** Reason, currency, chain, time, amount, person and flags. A choice takes effect at once, what is typed by Enter or the button. */
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
  return (
    <section
      id={moreFiltersPanelId}
      aria-label="More filters"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        const button = document.getElementById(moreFiltersId)
        button?.click()
        button?.focus()
      }}
      className={filterGrid.all}
    >
      <Choice
        label="Reason"
        value={texts.reason ?? null}
        choices={choices.reasons.map((reason) => [reason, filterReasonLabel(reason)])}
        onChange={(reason) => onChange({ reason })}
      />
      <Choice
        label="Currency"
        value={texts.currency?.toUpperCase() ?? null}
        choices={choices.currencies.map((currency) => [currency, currency])}
        onChange={(currency) => onChange({ currency })}
      />
      <Choice
        label="Chain"
        value={texts.chain?.toLowerCase() ?? null}
        choices={choices.chains.map((chain) => [chain, filterChainLabel(chain)])}
        onChange={(chain) => onChange({ chain })}
      />
      <Choice
        label="Started"
        value={texts.since ?? null}
        choices={Object.keys(timePresets).map((preset) => [
          preset,
          presetLabels[preset as keyof typeof presetLabels],
        ])}
        onChange={(since) => onChange({ since, from: null, to: null })}
      />
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

function Choice({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string
  readonly value: string | null
  readonly choices: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string | null) => void
}) {
  const others = value !== null && !choices.some(([each]) => each === value) ? [[value, value] as const] : []
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={value ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
        >
          <option value="">Any</option>
          {[...choices, ...others].map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
