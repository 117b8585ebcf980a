import type { ReactNode } from 'react'

/**
 * The header has the page's heading, a line below it, and the page's buttons at the right, which the palette lists
 * as well.
 */
export function PageHeader({
  title,
  children,
  actions,
}: {
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-64 md:basis-md">
        <h1 className="font-heading text-xl tracking-[-0.017em]">{title}</h1>
        {children && <div className="mt-1 max-w-[80ch] text-muted text-table">{children}</div>}
      </div>
      {actions && (
        <div data-commands="" className="flex flex-wrap items-center gap-2">
          {actions}
        </div>
      )}
    </header>
  )
}
