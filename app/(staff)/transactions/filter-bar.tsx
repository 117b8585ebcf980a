'use client'

import { clsx } from 'clsx'
import { ChevronDown, X } from 'lucide-react'
import { eventTypeWords } from '#lib/domain/event-types.ts'
import {
  cryptoToFiatSteps,
  type Direction,
  directions,
  fiatToCryptoSteps,
  stepsOf,
} from '#lib/domain/steps.ts'
import { wordsOfStep } from '#lib/domain/words.ts'

interface Filters {
  readonly direction: Direction | null
  readonly step: string | null
}

/** Direction and step, each the browser's own select in the shape of a chip. */
export function TransactionFilterBar({
  direction,
  step,
  onChange,
}: Filters & { readonly onChange: (filters: Filters) => void }) {
  const steps: readonly string[] = direction ? stepsOf[direction] : everyStep
  return (
    <fieldset className="mt-4 mb-3 flex flex-wrap items-center gap-2">
      <legend className="sr-only">Filters</legend>
      <Chip
        name="Direction"
        value={direction ?? ''}
        choices={directions.map((each) => [each, eventTypeWords[each].label])}
        onChange={(value) => {
          const next = directions.find((each) => each === value) ?? null
          const kept = next && step && !stepsOf[next].some((each) => each === step) ? null : step
          onChange({ direction: next, step: kept })
        }}
      />
      <Chip
        name="Step"
        value={step ?? ''}
        choices={(step && !steps.includes(step) ? [...steps, step] : steps).map((each) => [
          each,
          wordsOfStep(direction, each).label,
        ])}
        onChange={(value) => onChange({ direction, step: value === '' ? null : value })}
      />
      {(direction || step) && (
        <button
          type="button"
          onClick={() => onChange({ direction: null, step: null })}
          className="inline-flex h-[30px] items-center gap-1 rounded-md px-2 text-muted text-xs hover:bg-hover hover:text-text"
        >
          <X className="size-3.5" aria-hidden />
          Clear
        </button>
      )}
    </fieldset>
  )
}

function Chip({
  name,
  value,
  choices,
  onChange,
}: {
  readonly name: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string) => void
}) {
  return (
    <label
      className={clsx(
        'relative inline-flex h-[30px] items-center gap-1.5 rounded-[7px] border border-line-strong pr-2 pl-2.5 text-xs hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-focus',
        value === '' ? 'border-dashed text-muted' : 'bg-surface text-text',
      )}
    >
      {name}
      <b className="font-[600]">{choices.find(([each]) => each === value)?.[1] ?? 'any'}</b>
      <ChevronDown className="size-3 text-faint" aria-hidden />
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="absolute inset-0 w-full cursor-pointer appearance-none bg-surface text-sm text-text opacity-0"
      >
        <option value="">Any</option>
        {choices.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

const everyStep: readonly string[] = [...new Set([...fiatToCryptoSteps, ...cryptoToFiatSteps])]
