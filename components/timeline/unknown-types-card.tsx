import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { totalNumber } from '#components/ui/shared/total-label.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { inSentence } from '#lib/words/labels/formats.ts'

/**
 * States and reasons without words here are counted. Other pages show them as they came. Nothing is shown when all
 * have words.
 */
export function UnknownTypesCard({
  unknownTypes,
  className,
}: {
  readonly unknownTypes: readonly {
    readonly type: string
    readonly state: string
    readonly count: Total
  }[]
  readonly className?: string
}) {
  if (unknownTypes.length === 0) return null
  return (
    <Card title="Unknown statuses" className={className}>
      <p className="text-muted text-table">
        They are shown exactly as received. Ask the provider what they mean.
      </p>
      <ul className="mt-2.5 grid grid-cols-[minmax(0,1fr)] gap-1.5 text-table">
        {unknownTypes.map(({ type, state, count }) => (
          <li key={`${type} ${state}`} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <Link
              href={`/timeline?type=${encodeURIComponent(type)}`}
              className="wrap-anywhere underline underline-offset-2"
            >
              {eventTypeLabel(type).label}
            </Link>
            <span className="mono wrap-anywhere">{state}</span>
            <span className="num text-muted">{inSentence(totalNumber(count))}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
