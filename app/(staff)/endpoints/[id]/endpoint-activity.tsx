import { HistoryCard } from '#components/endpoints/history-card.tsx'
import { RequestsCard } from '#components/endpoints/requests-card.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { listEndpointHistory } from '#lib/audit/histories.ts'
import { listStates } from '#lib/endpoints/endpoint-states.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { listRequests, type RequestFilters } from '#lib/endpoints/list-requests.ts'
import { readTraffic } from '#lib/endpoints/read-traffic.ts'

/** The card shows what arrived at an endpoint of this dashboard, and when more is expected. */
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

/** The page shows this many changes made here. */
const shown = 12

/** The history has every change of an endpoint, made here or seen from here. */
export async function EndpointHistory({
  caller,
  endpointUuid,
}: {
  readonly caller: Caller
  readonly endpointUuid: string
}) {
  const [listed, states] = await Promise.all([
    listEndpointHistory(caller, endpointUuid, shown + 1),
    listStates(caller, endpointUuid),
  ])
  const audit = may(caller.role, 'read-audit') ? `/audit?about=${endpointUuid}` : null
  return (
    <HistoryCard
      changes={listed.slice(0, shown)}
      states={states}
      earlier={listed.length > shown}
      audit={audit}
    />
  )
}
