import { HourTable } from '#components/ui/shared/hour-table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { TrafficHour } from '#lib/endpoints/read-traffic.ts'

/** How many requests each hour brought, drawn on the server, with the same as a table behind it. */
export function RequestsChart({ hours }: { readonly hours: readonly TrafficHour[] }) {
  const most = Math.max(1, ...hours.map(({ taken, refused }) => taken + refused))
  const [taken, refused] = [sum(hours, 'taken'), sum(hours, 'refused')]
  const bars = hours.map((hour, index) => barsOf(hour, index * 10 + 1, most))
  const first = hours[0]
  return (
    <figure>
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-sm">
        <span className="flex items-center gap-1.5">
          <svg className="size-2.5" viewBox="0 0 10 10" aria-hidden>
            <rect width="10" height="10" rx="2" className="fill-faint" />
          </svg>
          <span className="num">{taken.toLocaleString('en')}</span> taken
        </span>
        <span className="flex items-center gap-1.5">
          <svg className="size-2.5" viewBox="0 0 10 10" aria-hidden>
            <rect width="10" height="10" rx="2" className="fill-fail" />
          </svg>
          <span className="num">{refused.toLocaleString('en')}</span> not taken
        </span>
        <span>
          in {hours.length} hours, busiest hour: {most.toLocaleString('en')}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${hours.length * 10} 60`}
        preserveAspectRatio="none"
        className="mt-3 block h-16 w-full border-b"
        aria-hidden
      >
        <path d={bars.map(({ below }) => below).join('')} className="fill-faint" />
        <path d={bars.map(({ above }) => above).join('')} className="fill-fail" />
      </svg>
      <p className="mt-1 flex justify-between text-faint text-xs" aria-hidden>
        {first && <Time at={first.at} style="minute" className="num" />}
        <span>now</span>
      </p>
      <HourTable
        columns={[
          { id: 'taken', label: 'Taken' },
          { id: 'refused', label: 'Not taken' },
        ]}
        hours={hours.map(({ at, taken, refused }) => ({ at, counts: [taken, refused] }))}
        dense
        className="max-w-md"
      />
    </figure>
  )
}

/**
 * One hour: what was not taken stands on top of what was, and is never too small to be seen. Two outlines that all hours share,
 * as an element for each bar would take the server longer than all else on the card.
 */
function barsOf({ taken, refused }: TrafficHour, x: number, most: number) {
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max((count / most) * 58, 1.5))
  const [below, above] = [heightOf(taken), heightOf(refused)]
  return { below: bar(x, 60 - below, below), above: bar(x, Math.max(60 - below - above, 0), above) }
}

const bar = (x: number, y: number, height: number) => (height === 0 ? '' : `M${x} ${y}h8v${height}h-8z`)

const sum = (hours: readonly TrafficHour[], which: 'taken' | 'refused') =>
  hours.reduce((total, hour) => total + hour[which], 0)
