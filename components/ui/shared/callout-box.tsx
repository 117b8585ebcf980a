import { clsx } from 'clsx'
import type { ComponentType, ReactNode } from 'react'

export interface CalloutBoxProps {
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
}

/** The box of a callout, with one icon: a page that shows one kind loads no icons of the others. */
export function CalloutBox({
  tone,
  icon: Icon,
  isError,
  title,
  children,
  actions,
  className,
}: CalloutBoxProps & {
  readonly tone: string
  readonly icon: ComponentType<{ className?: string; 'aria-hidden'?: boolean }>
  /** Errors are announced. */
  readonly isError: boolean
}) {
  return (
    <div
      data-tone={tone}
      role={isError ? 'alert' : 'note'}
      className={clsx(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-panel bg-tone-bg px-3.5 py-2.5 text-sm',
        className,
      )}
    >
      <div className="flex min-w-0 flex-1 basis-64 gap-2.5">
        <Icon className="mt-[0.1875rem] size-4 text-tone" aria-hidden />
        <div className="min-w-0">
          {title && <p className="font-title text-tone">{title}</p>}
          {children && (
            <div className={clsx('max-w-[80ch]', title ? 'text-muted' : 'text-tone')}>{children}</div>
          )}
        </div>
      </div>
      {actions && (
        <div data-commands="" className="flex flex-wrap gap-2">
          {actions}
        </div>
      )}
    </div>
  )
}
