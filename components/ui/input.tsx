import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

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
export const controlClass =
  'block w-full min-w-0 rounded-lg border border-line-control bg-surface px-3 text-base text-text shadow-card ' +
  'transition-colors hover:border-muted focus-visible:outline-offset-0 disabled:bg-hover disabled:text-muted ' +
  '[&[readonly]]:bg-hover aria-invalid:border-fail'
