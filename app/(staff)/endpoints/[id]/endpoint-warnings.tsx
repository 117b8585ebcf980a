import type { EndpointActions } from '#components/endpoints/endpoint-actions.ts'
import { endpointAlerts } from '#components/endpoints/endpoint-alerts.tsx'
import { ConfirmSecret, EndpointRepair } from '#components/endpoints/endpoint-state-buttons.tsx'
import { missedAlerts, missedSoFar } from '#components/endpoints/missed-events.tsx'
import { missingTypes } from '#components/endpoints/missing-types.ts'
import { missingTypesAlerts } from '#components/endpoints/missing-types-callout.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { env } from '#lib/platform/env.ts'
import { EndpointGaps, gapAlertsOf, missingHere, readGapsOf } from './endpoint-gaps.tsx'
import { readMissedEvents } from './read-missed-events.ts'

/** What is wrong with an endpoint and what may be missing because of it, then all gaps there were. */
export async function EndpointWarnings({
  caller,
  endpoint,
  all,
  actions,
}: {
  readonly caller: Caller
  readonly endpoint: EndpointView
  readonly all: readonly EndpointView[]
  readonly actions: EndpointActions
}) {
  const mayManage = may(caller.role, 'manage-endpoints')
  const [gaps, missed] = await Promise.all([
    endpoint.ours ? readGapsOf(caller, endpoint.uuid) : null,
    readMissedEvents(caller, endpoint),
  ])
  const alerts = [
    ...endpointAlerts(endpoint, {
      buttons: {
        repair: mayManage && <EndpointRepair endpoint={endpoint} actions={actions} />,
        confirm: mayManage && <ConfirmSecret endpoint={endpoint} actions={actions} />,
      },
      missing: gaps ? missingHere(caller, gaps) : missedSoFar(missed),
      sandboxUrl: env().sandboxUrl?.href ?? null,
    }),
    ...(gaps ? gapAlertsOf(caller, gaps, endpoint.status === 'active') : []),
    ...missedAlerts(missed),
    ...(endpoint.ours ? missingTypesAlerts(missingTypes(all)) : []),
  ]
  return (
    <>
      <AlertSlot alerts={alerts} />
      {gaps && <EndpointGaps gaps={gaps.gaps} />}
    </>
  )
}
