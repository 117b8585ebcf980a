import { type KnownEndpointStatus, parseEndpointStatus } from '#lib/deliveries/rules/endpoint-states.ts'
import { isEventType } from '#lib/deliveries/rules/event-types.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'

const statusLabels = {
  active: { label: 'Active', tone: 'done' },
  disabled: { label: 'Disabled', tone: 'wait' },
  auto_disabled: { label: 'Auto-disabled', tone: 'fail' },
} as const satisfies Record<KnownEndpointStatus, { label: string; tone: Tone }>

/** A status has a label; one that the service added later is shown as it is. */
export function endpointStatusLabel(status: string): { readonly label: string; readonly tone: Tone } {
  const known = parseEndpointStatus(status)
  return known ? statusLabels[known] : { label: status, tone: 'wait' }
}

/** The name of an endpoint is its description, or the host of its url. */
export const endpointName = ({ description, url }: Pick<EndpointView, 'description' | 'url'>): string =>
  description?.trim() || (URL.parse(url)?.host ?? url)

/** The text is "All events", "KYC, KYB" or "KYC, KYB and 3 more". Null means every type (§2.3). */
export function eventsSummary(events: readonly string[] | null): string {
  if (events === null) return 'All events'
  if (events.length === 0) return 'No events'
  const labels = events.map((type) => (isEventType(type) ? eventTypeLabel(type).label : type))
  if (labels.length <= 3) return labels.join(', ')
  return `${labels.slice(0, 2).join(', ')} and ${labels.length - 2} more`
}

/** Each repair has a reason: on the endpoint's page, and beside its name above the list. */
export const repairMessages = {
  'no-secret': {
    title: 'The secret of this endpoint was lost.',
    why: 'It points here, but its secret never arrived. Its deliveries cannot be checked.',
    inShort:
      'It points here, but its secret was lost. Its deliveries are rejected until an admin repairs it.',
  },
  'wrong-secret': {
    title: 'Its deliveries carry a wrong secret.',
    why: 'The last delivery was rejected. Its secret may have been rotated elsewhere, or somebody else sends here.',
    inShort: 'They carry a wrong secret and are rejected until an admin repairs the endpoint.',
  },
  'other-address': {
    title: 'This endpoint points at an earlier address of this dashboard.',
    why: 'Deliveries to that address do not arrive here.',
    inShort: 'It points at an earlier address of this dashboard. An admin can point it at the present one.',
  },
  'not-seen': {
    title: 'Nobody has seen the secret of this endpoint.',
    why: 'Its new secret was never shown. Its receiver rejects deliveries until one is deployed there.',
    inShort: 'Its secret was never shown, so its receiver cannot know it.',
  },
  'half-replaced': {
    title: 'The endpoint that this one replaces was not deleted yet.',
    why: 'Its secret is deployed. The old endpoint may still deliver, too.',
    inShort: 'Its secret is deployed, but the old endpoint was not deleted yet.',
  },
} as const satisfies Record<
  NonNullable<EndpointView['repair']>,
  { readonly title: string; readonly why: string; readonly inShort: string }
>
