import { isEventType, wordsOfEventType } from '#lib/domain/event-types.ts'
import type { Tone } from '#lib/domain/words.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'

/** The three states of §3.1, in the order in which lists name them. */
export const endpointStatuses = ['active', 'disabled', 'auto_disabled'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

const words = {
  active: { label: 'Active', tone: 'done' },
  disabled: { label: 'Disabled', tone: 'wait' },
  auto_disabled: { label: 'Auto-disabled', tone: 'fail' },
} as const satisfies Record<EndpointStatus, { label: string; tone: Tone }>

export const parseEndpointStatus = (text: unknown): EndpointStatus | null =>
  endpointStatuses.find((status) => status === text) ?? null

/** The words of a state; one that the service has added since is shown as it is. */
export function wordsOfEndpointStatus(status: string): { readonly label: string; readonly tone: Tone } {
  const known = parseEndpointStatus(status)
  return known ? words[known] : { label: status, tone: 'wait' }
}

/** What an endpoint is called: its description, or the host of its url. */
export const endpointName = ({ description, url }: Pick<EndpointView, 'description' | 'url'>): string =>
  description?.trim() || (URL.parse(url)?.host ?? url)

/** "All events", "KYC, KYB", "KYC, KYB and 3 more". Null means every type (§2.3). */
export function eventsInShort(events: readonly string[] | null): string {
  if (events === null) return 'All events'
  if (events.length === 0) return 'No events'
  const labels = events.map((type) => (isEventType(type) ? wordsOfEventType(type).label : type))
  if (labels.length <= 3) return labels.join(', ')
  return `${labels.slice(0, 2).join(', ')} and ${labels.length - 2} more`
}
