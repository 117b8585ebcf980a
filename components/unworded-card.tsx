import Link from 'next/link'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import type { Total } from '#lib/paging/count-up-to.ts'
import { Card } from './ui/card.tsx'

/** What came without words here: counted, and shown elsewhere as it came. Nothing where everything has words. */
export function UnwordedCard({
  unworded,
  className,
}: {
  readonly unworded: readonly {
    readonly type: string
    readonly state: string | null
    readonly count: Total
  }[]
  readonly className?: string
}) {
  if (unworded.length === 0) return null
  return (
    <Card title="Not known here yet" className={className}>
      <p className="text-muted text-table">
        These came, and are shown as they came: this version has no words for them. Ask the provider what they
        mean.
      </p>
      <ul className="mt-2.5 grid gap-1.5 text-table">
        {unworded.map(({ type, state, count }) => (
          <li key={`${type} ${state}`} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <Link
              href={`/timeline?type=${encodeURIComponent(type)}`}
              className="wrap-anywhere underline underline-offset-2"
            >
              {eventTypeLabel(type).label}
            </Link>
            {state && <span className="mono wrap-anywhere">{state}</span>}
            <span className="num text-muted">
              {count.exact ? '' : 'more than '}
              {count.count.toLocaleString('en')}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
