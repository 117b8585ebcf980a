import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

/** The checkbox has a label, and a line about what ticking it means. */
export function Checkbox({
  label,
  hint,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { readonly label: ReactNode; readonly hint?: ReactNode }) {
  return (
    <label
      className={clsx(
        'flex items-start gap-2.5 text-sm pointer-coarse:min-h-10 pointer-coarse:py-2.5',
        className,
      )}
    >
      <input type="checkbox" className="mt-[0.1875rem] size-4 shrink-0 rounded accent-ink" {...rest} />
      <span>
        <span className="font-label">{label}</span>
        {hint && <span className="block text-muted">{hint}</span>}
      </span>
    </label>
  )
}
