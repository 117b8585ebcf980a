import type { ComponentType, ReactNode } from 'react'

/** The empty state says what will appear here, and has the one button that makes it appear. */
export function EmptyState({
  icon: Icon,
  heading: Heading = 'h2',
  title,
  children,
  action,
}: {
  readonly icon?: ComponentType<{ className?: string }>
  /** The heading is `h1` when the page says nothing else. */
  readonly heading?: 'h1' | 'h2'
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-14 text-center">
      {Icon && (
        <span className="mb-4 grid size-11 place-items-center rounded-xl border bg-bg text-muted">
          <Icon className="size-5" />
        </span>
      )}
      <Heading className="font-heading text-base">{title}</Heading>
      {children && <div className="mt-1.5 text-balance text-muted text-sm">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
