import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'

/** A filter that shows its name and value: the browser's own select, in the shape of a chip. */
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
  /** What no choice means. */
  readonly none?: string
  readonly onChange: (value: string) => void
}) {
  return (
    <label
      className={clsx(
        'relative inline-flex h-[30px] items-center gap-1.5 rounded-control border border-line-strong pr-2 pl-2.5 text-xs hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-focus',
        value === '' ? 'border-dashed text-muted' : 'bg-surface text-text',
      )}
    >
      {name}
      <b className="font-title">{choices.find(([each]) => each === value)?.[1] ?? none.toLowerCase()}</b>
      <ChevronDown className="size-3 text-faint" aria-hidden />
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
