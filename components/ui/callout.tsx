import { clsx } from 'clsx'
import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'

export type CalloutKind = 'info' | 'success' | 'warning' | 'error'

/**
 * The callout holds a message that must be seen: what happened, whether anything was lost, what to do. Errors are
 * announced.
 */
export function Callout({
  kind = 'info',
  title,
  children,
  actions,
  className,
}: {
  readonly kind?: CalloutKind
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
}) {
  const { tone, icon: Icon } = variants[kind]
  return (
    <div
      data-tone={tone}
      role={kind === 'error' ? 'alert' : 'note'}
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

const variants = {
  info: { tone: 'wait', icon: Info },
  success: { tone: 'done', icon: CircleCheck },
  warning: { tone: 'held', icon: TriangleAlert },
  error: { tone: 'fail', icon: OctagonAlert },
} as const satisfies Record<CalloutKind, { tone: string; icon: ComponentType<{ className?: string }> }>
