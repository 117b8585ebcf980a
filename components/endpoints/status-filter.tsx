import { clsx } from 'clsx'
import Link from 'next/link'
import { endpointStatuses, type KnownEndpointStatus } from '#lib/domain/receiver/endpoint-status.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { endpointStatusLabel } from './endpoint-labels.ts'

/** One state or any, with how many there are of each; the choice stands in the address. */
export function StatusFilter({
  endpoints,
  chosen,
}: {
  readonly endpoints: readonly EndpointView[]
  readonly chosen: KnownEndpointStatus | null
}) {
  const choices = [
    { status: null, label: 'Any state', count: endpoints.length },
    ...endpointStatuses.map((status) => ({
      status,
      label: endpointStatusLabel(status).label,
      count: endpoints.filter((endpoint) => endpoint.status === status).length,
    })),
  ]
  return (
    <nav aria-label="State" className="flex flex-wrap gap-2">
      {choices.map(({ status, label, count }) => (
        <Link
          key={label}
          href={status ? `/endpoints?status=${status}` : '/endpoints'}
          aria-current={status === chosen ? 'true' : undefined}
          className={clsx(
            'inline-flex h-[30px] items-center gap-1.5 rounded-control border border-line-strong px-2.5 text-sm transition-colors hover:bg-hover',
            status === chosen ? 'bg-surface font-strong text-text' : 'border-dashed text-muted',
          )}
        >
          {label} <span className="num">{count}</span>
        </Link>
      ))}
    </nav>
  )
}
