import { clsx } from 'clsx'
import { Fragment, type ReactNode } from 'react'
import type { CalloutKind } from '../callout.tsx'
import { Disclosure } from '../disclosure.tsx'

/** Something that a page must say before what it shows. */
export interface Alert {
  readonly key: string
  readonly kind: CalloutKind
  /** It says how the thing itself stands, and stands first whatever else is worse. */
  readonly leads?: boolean
  /** The callout itself, of that kind. */
  readonly shown: ReactNode
}

/** The one place of a page for alerts: the one that leads or the worst is shown, the others open below it. Of equal ones the first is the worst. */
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
