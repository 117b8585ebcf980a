import { ChevronRight } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

/** The content opens below its line. The browser remembers whether it is open while the page refreshes. */
export function Disclosure({
  summary,
  children,
  ...rest
}: {
  readonly summary: ReactNode
  readonly children: ReactNode
} & Pick<ComponentProps<'details'>, 'ref' | 'onToggle'>) {
  return (
    <details className="group" {...rest}>
      <summary className="touch-target relative -ml-1 inline-flex min-h-7 items-center gap-1 rounded-md pr-2 pl-0.5 text-muted text-sm hover:bg-hover hover:text-text">
        <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden />
        {summary}
      </summary>
      <div className="mt-1.5 mb-1">{children}</div>
    </details>
  )
}
