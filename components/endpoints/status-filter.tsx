import { Segmented } from '#components/ui/segmented.tsx'
import { endpointStatuses, type KnownEndpointStatus } from '#lib/deliveries/rules/endpoint-status.ts'
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
  return (
    <Segmented
      name="State"
      segments={[
        {
          key: 'any',
          label: 'Any state',
          count: endpoints.length,
          href: '/endpoints',
          chosen: chosen === null,
        },
        ...endpointStatuses.map((status) => ({
          key: status,
          label: endpointStatusLabel(status).label,
          count: endpoints.filter((endpoint) => endpoint.status === status).length,
          href: `/endpoints?status=${status}`,
          chosen: chosen === status,
        })),
      ]}
    />
  )
}
