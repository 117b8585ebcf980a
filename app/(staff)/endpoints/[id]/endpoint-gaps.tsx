import { GapExports } from '#components/gaps/gap-exports.tsx'
import { gapKindLabels, gapSeverity, otherEndpointsMessage } from '#components/gaps/gap-labels.ts'
import { GapTime } from '#components/gaps/gap-time.tsx'
import { GapsTable } from '#components/gaps/gaps-table.tsx'
import { StrangerNotices } from '#components/gaps/stranger-notices.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { may } from '#lib/domain/access/roles.ts'
import { getGap } from '#lib/gaps/get-gap.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import { listStrangerCalls } from '#lib/gaps/list-stranger-calls.ts'
import type { Caller } from '#lib/request/caller.ts'
import { allowGapExportAction } from '../../gaps/actions.ts'

/** What may be missing because of this endpoint: aloud while it lasts, with its open transactions, and all there was. */
export async function EndpointGaps({
  caller,
  endpointUuid,
}: {
  readonly caller: Caller
  readonly endpointUuid: string
}) {
  const [{ rows }, strangers] = await Promise.all([
    listGaps(caller, { endpointUuid, limit: 10 }),
    listStrangerCalls(caller),
  ])
  const lasting = rows.find(({ endpoint, endedAt, closed }) => endpoint && !endedAt && !closed)
  const gap = lasting ? await getGap(caller, lasting.id) : null
  return (
    <>
      <StrangerNotices
        strangers={strangers.filter(({ endpoint }) => endpoint?.uuid === endpointUuid)}
        link={false}
      />
      {gap && (
        <Callout
          kind={gapSeverity(gap)}
          title={
            <>
              Deliveries may be missing <GapTime gap={gap} />
            </>
          }
          actions={
            <>
              <GapExports
                gap={gap}
                allowExport={may(caller.role, 'work-on-cases') ? allowGapExportAction : null}
              />
              <ButtonLink href={`/gaps/${gap.id}`}>Open the gap</ButtonLink>
            </>
          }
        >
          {openCountMessage(gap.total)} {gapKindLabels[gap.kind].meaning} {otherEndpointsMessage(gap)}
        </Callout>
      )}
      {rows.length > 0 && (
        <Card>
          <h2 className="px-4 py-3.5 font-title text-muted text-sm">Gaps in deliveries</h2>
          <GapsTable gaps={rows} />
        </Card>
      )}
    </>
  )
}

function openCountMessage({ count, exact }: { readonly count: number; readonly exact: boolean }): string {
  if (count === 0) return 'No transaction that is known here was open.'
  if (count === 1) return '1 transaction was open.'
  return `${exact ? '' : 'More than '}${count} transactions were open.`
}
