import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { controlClass } from './input.tsx'

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
