import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'

/** A filter of a list, or its order, is described by this data. `name` is its name in the address. */
export interface ListFilter {
  readonly name: string
  readonly label: string
  /** `value` is null when nothing is chosen. */
  readonly value: string | null
  /** A filter without choices has no chip: it is chosen in another way, or not by this reader. */
  readonly choices: readonly (readonly [value: string, label: string])[]
  /** `none` is the label when nothing is chosen. */
  readonly none?: string
  /** `text` is the value in words, when no choice has it. */
  readonly text?: string
  /** These filters change with the chosen one, because the list cannot combine them. */
  readonly changes?: (chosen: string | null) => ChangedFilters
}

/** The address gets these values: null removes a filter, and others stay. */
export type ChangedFilters = Readonly<Record<string, string | null>>

/** Each filter is a chip. A choice takes effect at once. */
export function FilterChips({
  filters,
  onChange,
  children,
  ...rest
}: {
  readonly filters: readonly ListFilter[]
  readonly onChange: (changed: ChangedFilters) => void
} & Pick<ComponentProps<'fieldset'>, 'aria-busy' | 'onPointerEnter' | 'onFocus' | 'children' | 'ref'>) {
  const change = ({ name, changes }: ListFilter, value: string) => {
    const chosen = value === '' ? null : value
    onChange({ ...changes?.(chosen), [name]: chosen })
  }
  return (
    <fieldset
      className="mt-4 mb-3 flex flex-wrap items-center gap-1.5 has-[details[open]]:items-start print:hidden"
      {...rest}
    >
      <legend className="sr-only">Filters</legend>
      {filters.map(
        (filter) =>
          filter.choices.length > 0 && (
            <FilterChip
              key={filter.name}
              name={filter.label}
              value={filter.value ?? ''}
              choices={withChosen(filter)}
              {...(filter.none === undefined ? {} : { none: filter.none })}
              onChange={(value) => change(filter, value)}
            />
          ),
      )}
      {children}
    </fieldset>
  )
}

/** The choices are the known ones, and the chosen one when it is another. */
export function withChosen({ value, choices, text }: Pick<ListFilter, 'value' | 'choices' | 'text'>) {
  if (value === null || choices.some(([each]) => each === value)) return choices
  return [...choices, [value, text ?? value] as const]
}

/** The filter shows its name and value. It is the browser's own select in the shape of a chip. */
function FilterChip({
  name,
  value,
  choices,
  none = 'Any',
  onChange,
}: {
  readonly name: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, label: string])[]
  /** `none` is the label when nothing is chosen. */
  readonly none?: string
  readonly onChange: (value: string) => void
}) {
  const shown = choices.find(([each]) => each === value)?.[1] ?? none.toLowerCase()
  return (
    <label
      className={clsx(
        'relative inline-flex min-h-7.5 max-w-full items-center gap-1.5 rounded-control border border-line-strong py-0.5 pr-2 pl-2.5 text-xs pointer-coarse:min-h-10 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-focus',
        value === '' ? 'text-muted' : 'border-line-control bg-surface text-text',
      )}
    >
      {name}
      <b title={shown} className="min-w-0 truncate font-title">
        {shown}
      </b>
      <ChevronDown className="size-3 shrink-0 text-faint" aria-hidden />
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="absolute inset-0 w-full cursor-pointer appearance-none bg-surface text-sm text-text opacity-0"
      >
        <option value="">{none}</option>
        {choices.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}
