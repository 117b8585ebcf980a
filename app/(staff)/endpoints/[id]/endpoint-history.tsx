import { HistoryCard } from '#components/endpoints/history-card.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { listEndpointHistory } from '#lib/audit/list-endpoint-history.ts'
import { listStates } from '#lib/endpoints/list-states.ts'

/** Changes made here that the page shows. */
const shown = 12

/** Every change of an endpoint, made here or seen from here. */
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
