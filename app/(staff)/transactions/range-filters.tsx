'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useZone } from '#components/ui/time-zone.tsx'
import { fromZonedInput, toZonedInput } from '#components/ui/zoned-input.ts'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import type { FilterName, FilterTexts } from '#lib/transactions/rules/transaction-filters.ts'
import { amountHint, filterGrid } from './filter-grid.ts'

/** Amounts and times between two: what is typed is checked before it stands in the address. */
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
  // The address says something else by now, or the times are shown in another zone.
  if (names.some((name) => given[name] !== from[name])) {
    setFrom(given)
    setTyped(given)
  }
  const [wrong, setWrong] = useState<Partial<Record<FilterName, string>>>({})
  const inZone = zone === 'UTC' ? 'In UTC' : `In ${zone.replaceAll('_', ' ')}`
  return (
    <form
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
  from: 'Started from',
  to: 'Started before',
} as const

const names = ['min', 'max', 'from', 'to'] as const

type Range = Record<(typeof names)[number], string | null>

const shownTexts = ({ min, max, from, to }: FilterTexts, zone: string) => ({
  min: min ?? '',
  max: max ?? '',
  from: toZonedInput(from ?? '', zone),
  to: toZonedInput(to ?? '', zone),
})

/** Reads the fields as an address has them, and says which are not finished. A time that nobody changed stays the same moment. */
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
