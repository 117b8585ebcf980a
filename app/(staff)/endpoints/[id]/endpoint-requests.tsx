import { RequestsCard } from '#components/endpoints/requests-card.tsx'
import { RefreshEvery } from '#components/ui/live/refresh-every.tsx'
import type { Caller } from '#lib/access/caller.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { listRequests, type RequestFilters } from '#lib/endpoints/list-requests.ts'
import { readTraffic } from '#lib/endpoints/read-traffic.ts'

/** What arrived at an endpoint of this dashboard, and when more is expected. */
export async function EndpointRequests({
  caller,
  endpoint: { uuid, status },
  filters,
}: {
  readonly caller: Caller
  readonly endpoint: EndpointView
  readonly filters: RequestFilters
}) {
  const [page, traffic] = await Promise.all([listRequests(caller, uuid, filters), readTraffic(caller, uuid)])
  return (
    <>
      <RequestsCard
        path={`/endpoints/${uuid}`}
        filters={filters}
        page={page}
        traffic={traffic}
        active={status === 'active'}
      />
      <RefreshEvery seconds={30} />
    </>
  )
}
