import type { ReactNode } from 'react'
import { Callout } from './callout.tsx'

/** That something was refused, and what to do next: a refused action, or a refusal that a page got from a use case. */
export function RefusalCallout({
  refusal: { title, next },
  children,
  actions,
  className = '',
}: {
  readonly refusal: { readonly title: string; readonly next: string }
  /** Follows what to do next. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string | undefined
}) {
  return (
    <Callout kind="error" title={title} actions={actions} className={className}>
      {next}
      {children}
    </Callout>
  )
}
