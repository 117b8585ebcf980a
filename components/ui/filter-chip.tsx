import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'

/** The filter shows its name and value. It is the browser's own select in the shape of a chip. */
export function FilterChip({
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
