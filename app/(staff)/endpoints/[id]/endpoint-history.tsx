import { HistoryCard } from '#components/endpoints/history-card.tsx'
import { listEndpointHistory } from '#lib/audit/list-endpoint-history.ts'
import { listStates } from '#lib/endpoints/list-states.ts'
import type { Caller } from '#lib/request/caller.ts'

/** Every change of an endpoint, made here or seen from here. */
export async function EndpointHistory({
  caller,
  endpointUuid,
}: {
  readonly caller: Caller
  readonly endpointUuid: string
}) {
  const [changes, states] = await Promise.all([
    listEndpointHistory(caller, endpointUuid),
    listStates(caller, endpointUuid),
  ])
  return <HistoryCard changes={changes} states={states} />
}
