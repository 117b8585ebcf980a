import { clsx } from 'clsx'
import { Fragment, type ReactNode } from 'react'
import type { CalloutKind } from '../callout.tsx'
import { Disclosure } from '../disclosure.tsx'

/** A page must show an alert before its content. */
export interface Alert {
  readonly key: string
  readonly kind: CalloutKind
  /** `leads`: the alert is about the thing itself, so it comes first even when another is worse. */
  readonly leads?: boolean
  /** `shown` is the callout itself, of that kind. */
  readonly shown: ReactNode
}

/**
 * A page has one place for alerts: the leading or the worst one is shown, and the others open below it. The first
 * of equal ones is the worst.
 */
export function AlertSlot({
  alerts,
  className,
}: {
  readonly alerts: readonly Alert[]
  readonly className?: string
}) {
  const [worst, ...others] = alerts.toSorted((a, b) => weightOf(b) - weightOf(a))
  if (!worst) return null
  return (
    <section aria-label="Alerts" className={clsx('grid gap-1.5', className)}>
      {worst.shown}
      {others.length > 0 && (
        <Disclosure summary={`+${others.length} more`}>
          <div className="grid gap-3">
            {others.map(({ key, shown }) => (
              <Fragment key={key}>{shown}</Fragment>
            ))}
          </div>
        </Disclosure>
      )}
    </section>
  )
}

const weightOf = ({ kind, leads = false }: Alert) => (leads ? 4 : weights[kind])

const weights = { error: 3, warning: 2, info: 1, success: 0 } as const satisfies Record<CalloutKind, number>
