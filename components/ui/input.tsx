import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

/** The input is one line of text. `aria-invalid` (set by `Field`) colours its border. */
export function Input({
  className,
  mono = false,
  ...rest
}: ComponentProps<'input'> & { readonly mono?: boolean }) {
  return (
    <input className={clsx(controlClass, 'min-h-10', mono && 'font-mono text-sm', className)} {...rest} />
  )
}

/** Every control with text has this style. */
const controlClass =
  'block w-full min-w-0 rounded-lg border border-line-control bg-surface px-3 text-base text-text shadow-card ' +
  'transition-colors hover:border-muted focus-visible:outline-offset-0 disabled:bg-hover disabled:text-muted ' +
  '[&[readonly]]:bg-hover aria-invalid:border-fail'

/** The browser's own select works with every keyboard, phone and screen reader. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={clsx('relative block', className)}>
      <select className={clsx(controlClass, 'min-h-10 appearance-none truncate pr-9')} {...rest}>
        {children}
      </select>
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
        aria-hidden
      />
    </span>
  )
}

/** The control holds several lines of text, and grows with the text when the browser can. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={rows}
      className={clsx(controlClass, 'field-sizing-content min-h-20 py-2', className)}
      {...rest}
    />
  )
}

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

/** The input takes a file from the reader's own device. */
export const FileInput = (props: Omit<ComponentProps<'input'>, 'type' | 'className'>) => (
  <input
    {...props}
    type="file"
    className="block w-full min-w-0 rounded-lg border border-line-control bg-surface p-2 text-sm file:mr-3 file:rounded-md file:border-0 file:bg-hover file:px-3 file:py-1.5 file:font-label"
  />
)
