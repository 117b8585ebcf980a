import type { MissingHere } from '#components/endpoints/endpoint-alerts.tsx'
import { GapCallout } from '#components/endpoints/gaps/gap-callout.tsx'
import { GapExports } from '#components/endpoints/gaps/gap-exports.tsx'
import { gapMeaning, otherEndpointsMessage } from '#components/endpoints/gaps/gap-labels.ts'
import { GapFinding } from '#components/endpoints/gaps/gap-lead.tsx'
import { GapsTable } from '#components/endpoints/gaps/gaps-table.tsx'
import { strangerAlerts } from '#components/endpoints/gaps/stranger-alerts.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import type { AskableGap } from '#lib/endpoints/gaps/get-gap.ts'
import { listStrangerCalls, type StrangerCalls } from '#lib/endpoints/gaps/list-stranger-calls.ts'
import { type GapsOfEndpoint, readGapsOfEndpoint } from '#lib/endpoints/gaps/read-gaps-of-endpoint.ts'
import { gapSeverity, isSettled } from '#lib/endpoints/rules/gap-severity.ts'
import { allowGapExportAction } from '../../gaps/actions.ts'

/** What may be missing because of an endpoint, and who calls it besides the service. */
export interface GapsAndStrangers extends GapsOfEndpoint {
  readonly strangers: readonly StrangerCalls[]
}

export async function readGapsOf(caller: Caller, endpointUuid: string): Promise<GapsAndStrangers> {
  const [gaps, strangers] = await Promise.all([
    readGapsOfEndpoint(caller, endpointUuid),
    listStrangerCalls(caller),
  ])
  return { ...gaps, strangers: strangers.filter(({ endpoint }) => endpoint?.uuid === endpointUuid) }
}

/** What may be missing while it lasts, to be said with why. */
export function missingHere(
  caller: Caller,
  { lasting }: Pick<GapsOfEndpoint, 'lasting'>,
): MissingHere | null {
  if (lasting === null) return null
  return {
    words: (
      <>
        <GapFinding gap={lasting} />
        {!lasting.closed && (
          <>
            {' '}
            {openCountMessage(lasting.total)} {otherEndpointsMessage(lasting)}
          </>
        )}
      </>
    ),
    actions: <GapActions caller={caller} gap={lasting} />,
    isSettled: isSettled(lasting),
  }
}

/** What its gaps and strangers who call it say. An endpoint that is not active says by itself what is missing. */
export function gapAlertsOf(
  caller: Caller,
  { lasting, strangers }: GapsAndStrangers,
  active: boolean,
): Alert[] {
  const alerts = strangerAlerts(strangers, false)
  if (lasting === null || lasting.closed || !active) return alerts
  const kind = gapSeverity(lasting)
  const shown = (
    <GapCallout gap={lasting} kind={kind} actions={<GapActions caller={caller} gap={lasting} />}>
      {openCountMessage(lasting.total)} {gapMeaning(lasting)} {otherEndpointsMessage(lasting)}
    </GapCallout>
  )
  return [{ key: 'gap', kind, shown }, ...alerts]
}

const GapActions = ({ caller, gap }: { readonly caller: Caller; readonly gap: AskableGap }) => (
  <>
    <GapExports gap={gap} allowExport={may(caller.role, 'work-on-cases') ? allowGapExportAction : null} />
    <ButtonLink href={`/gaps/${gap.id}`}>Open the gap</ButtonLink>
  </>
)

/** All gaps there were. */
export function EndpointGaps({ gaps }: { readonly gaps: readonly GapView[] }) {
  if (gaps.length === 0) return null
  return (
    <Card>
      <h2 className="p-3.5 font-title text-muted text-sm">Gaps in deliveries</h2>
      <GapsTable gaps={gaps} />
    </Card>
  )
}

function openCountMessage({ count, exact }: { readonly count: number; readonly exact: boolean }): string {
  if (count === 0) return 'No transaction that is known here was open.'
  if (count === 1) return '1 transaction was open.'
  return `${exact ? '' : 'More than '}${count.toLocaleString('en')} transactions were open.`
}
