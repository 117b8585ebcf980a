import { ChevronRight } from 'lucide-react'
import type { ReactEventHandler, ReactNode } from 'react'

/** Something that opens below its line; the browser remembers whether it is open while the page renews itself. */
export function Disclosure({
  summary,
  onToggle,
  children,
}: {
  readonly summary: ReactNode
  readonly onToggle?: ReactEventHandler<HTMLDetailsElement>
  readonly children: ReactNode
}) {
  return (
    <details className="group" onToggle={onToggle}>
      <summary className="touch-target relative -ml-1 inline-flex min-h-7 items-center gap-1 rounded-md pr-2 pl-0.5 text-muted text-sm hover:bg-hover hover:text-text">
        <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden />
        {summary}
      </summary>
      <div className="mt-1.5 mb-1">{children}</div>
    </details>
  )
}
