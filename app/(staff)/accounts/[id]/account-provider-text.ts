import type { SubjectDetailsView } from '#lib/timeline/get-subject.ts'
import { rawState } from '#lib/timeline/labels/event-labels.ts'

/** What the provider's support needs to know about an account: its uuid first, then what was received, times in UTC. */
export function accountProviderText({ subject, events }: SubjectDetailsView): string {
  const entity = events.findLast(({ entityUuid }) => entityUuid !== null)?.entityUuid
  return [
    `account uuid: ${subject.id}`,
    ...(entity ? [`user or company uuid: ${entity}`] : []),
    ...eventLines(events),
  ].join('\n')
}

/** The same about a company, of which no more than the newest `most` events were read. */
export const companyProviderText = ({ subject, events }: SubjectDetailsView, most: number): string =>
  [
    `company uuid: ${subject.id}`,
    ...eventLines(events, events.length < most ? 'Events' : `The newest ${most} events`),
  ].join('\n')

const eventLines = (events: SubjectDetailsView['events'], title = 'Events') => [
  '',
  `${title} as received (UTC):`,
  ...events.map(
    (event) =>
      `${event.firstReceivedAt}  ${[event.type ?? 'no type', event.status ?? rawState(event)].filter(Boolean).join(' / ')}`,
  ),
]
