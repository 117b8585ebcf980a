import type { ComponentType, ReactNode } from 'react'

/** Says what will appear here, and gives the one button that makes it appear. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  readonly icon?: ComponentType<{ className?: string }>
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
      <h2 className="font-[620] text-base">{title}</h2>
      {children && <div className="mt-1.5 text-muted text-sm">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
