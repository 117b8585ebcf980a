import { X } from 'lucide-react'
import { type ComponentProps, type MouseEvent, type ReactNode, useRef } from 'react'
import { Field } from '../field.tsx'
import { Select } from '../input.tsx'
import { FilterChips, type ListFilter, withChosen } from './filter-chips.tsx'

/** The filters of a list are chips, and each active one is below them with a button that removes it. */
export function FilterBar({ filters, onChange, ...rest }: ComponentProps<typeof FilterChips>) {
  const held = filters.flatMap((filter) =>
    filter.value === null ? [] : [{ ...filter, value: filter.value }],
  )
  const chips = useRef<HTMLFieldSetElement>(null)
  const remove = (names: readonly string[], { detail }: MouseEvent) => {
    onChange(Object.fromEntries(names.map((name) => [name, null])))
    // The keyboard's place was the button, which is gone. A finger would open the list of the filter.
    if (detail > 0) return
    const all = [...(chips.current?.querySelectorAll<HTMLElement>('select, summary') ?? [])]
    const at = filters.filter(({ choices }) => choices.length > 0).findIndex(({ name }) => names[0] === name)
    all[Math.max(at, 0)]?.focus()
  }
  return (
    <>
      <FilterChips ref={chips} filters={filters} onChange={onChange} {...rest} />
      <FilterTokens
        onClear={(event) =>
          remove(
            held.map(({ name }) => name),
            event,
          )
        }
        tokens={held.map((filter) => ({
          key: filter.name,
          text: (
            <>
              {filter.label}:{' '}
              <b className="font-title">
                {withChosen(filter).find(([value]) => value === filter.value)?.[1] ?? filter.text}
              </b>
            </>
          ),
          onRemove: (event) => remove([filter.name], event),
        }))}
      />
    </>
  )
}

/** Each active filter has a button that removes it, and one button removes all. Nothing is drawn without any. */
export function FilterTokens({
  tokens,
  onClear,
}: {
  readonly tokens: readonly FilterToken[]
  readonly onClear: (event: MouseEvent) => void
}) {
  if (tokens.length === 0) return null
  return (
    <ul aria-label="Filters that hold" className="mb-3 flex flex-wrap items-center gap-1.5">
      {tokens.map(({ key, text, onRemove }) => (
        <li key={key} className="max-w-full">
          <button
            type="button"
            onClick={onRemove}
            className="inline-flex min-h-7.5 max-w-full items-center gap-1.5 rounded-control border border-line-control bg-hover py-0.5 pr-1.5 pl-2.5 text-left text-xs hover:border-muted pointer-coarse:min-h-10 print:inline-flex!"
          >
            <span>
              <span className="sr-only">Remove </span>
              {text}
            </span>
            <X className="size-3.5 shrink-0 text-muted" aria-hidden />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={onClear}
          className="inline-flex min-h-7.5 items-center rounded-md px-2 text-muted text-xs hover:bg-hover hover:text-text pointer-coarse:min-h-10"
        >
          Clear all
        </button>
      </li>
    </ul>
  )
}

interface FilterToken {
  readonly key: string
  /** The text is "Status: On hold". */
  readonly text: ReactNode
  readonly onRemove: (event: MouseEvent) => void
}

/** A filter is a field: in a form that sends it, or with `onChange`, where a choice takes effect at once. */
export function FilterSelect({
  filter,
  error,
  onChange,
}: {
  readonly filter: ListFilter
  readonly error?: string | null | undefined
  readonly onChange?: (value: string | null) => void
}) {
  const { name, label, value, none = 'Any' } = filter
  const held = value ?? ''
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Select
          {...control}
          name={name}
          {...(onChange
            ? { value: held, onChange: ({ target }) => onChange(target.value === '' ? null : target.value) }
            : { defaultValue: held })}
        >
          <option value="">{none}</option>
          {withChosen(filter).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
