import type { ReactNode } from 'react'
import { Callout } from '../ui/callout.tsx'

/** What was refused, why, and what to do next. */
export interface RefusalText {
  readonly title: string
  readonly next: string
}

/** Says that something was refused, and what to do next. Announced, unless it is `neutral`: what the person chose. */
export function RefusalCallout({
  refusal,
  neutral = false,
  children,
  ...rest
}: {
  readonly refusal: RefusalText
  readonly neutral?: boolean
  /** Stands behind what to do next. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
}) {
  return (
    <Callout kind={neutral ? 'info' : 'error'} title={refusal.title} {...rest}>
      {refusal.next}
      {children}
    </Callout>
  )
}
