import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { controlClass } from './input.tsx'

/** Several lines of text; grows with what is typed where the browser can. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={rows}
      className={clsx(controlClass, 'field-sizing-content min-h-20 py-2', className)}
      {...rest}
    />
  )
}
