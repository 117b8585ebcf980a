import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { controlClass } from './input.tsx'

/** The browser's own select, which every keyboard, phone and screen reader knows. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={clsx('relative block', className)}>
      <select className={clsx(controlClass, 'h-10 appearance-none pr-9')} {...rest}>
        {children}
      </select>
      <ChevronDown className="pointer-events-none absolute top-3 right-3 size-4 text-muted" aria-hidden />
    </span>
  )
}
