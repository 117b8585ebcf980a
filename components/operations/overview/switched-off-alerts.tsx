import { HasBeenOff } from '#components/endpoints/endpoint-status.tsx'
import { gapKindLabels, otherEndpointsMessage } from '#components/endpoints/gaps/gap-labels.ts'
import { Callout } from '#components/ui/callout.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { isCovered } from '#lib/endpoints/rules/gaps.ts'
import type { EndpointOffAttention } from '#lib/operations/overview/attention-items.ts'

/**
 * The alert is the first thing on the page when the service disabled an endpoint: such an item has waited the
 * shortest time, so it is last in its list. It is less urgent when another endpoint was sent the same.
 */
export const switchedOffAlerts = (off: readonly EndpointOffAttention[]): Alert[] =>
  off.flatMap((item) => {
    const found = switchedOff(item)
    if (!found) return []
    const { uuid, name, others, covered } = found
    const kind = covered ? 'warning' : 'error'
    return {
      key: `off ${item.about}`,
      kind,
      shown: (
        <Callout
          kind={kind}
          title={`${gapKindLabels['auto-disabled'].title(name && `“${name}”`)}.`}
          actions={uuid && <ButtonLink href={`/endpoints/${uuid}`}>Open the endpoint</ButtonLink>}
        >
          <HasBeenOff since={item.offSince} />
          It gets no deliveries until an admin activates it. {others}
        </Callout>
      ),
    } as const
  })

function switchedOff(item: EndpointOffAttention) {
  if ('endpoint' in item) {
    const { uuid, name, status } = item.endpoint
    return status === 'auto_disabled' ? { uuid, name, others: null, covered: false } : null
  }
  const { kind, endpoint } = item.gap
  if (kind !== 'auto-disabled') return null
  return {
    uuid: endpoint?.uuid ?? null,
    name: endpoint?.name ?? null,
    others: otherEndpointsMessage(item.gap),
    covered: isCovered(item.gap),
  }
}
