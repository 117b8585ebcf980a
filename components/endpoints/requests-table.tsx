import { subjectPath } from '#components/ui/browser/paths.ts'
import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { RequestView } from '#lib/endpoints/list-requests.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'

/** Requests come newest first. A narrow page shows the facts of each below each other. */
export function RequestsTable({ requests }: { readonly requests: readonly RequestView[] }) {
  return (
    <Table>
      <thead className="max-md:sr-only">
        <tr>
          <Th className="sm:first:pl-5">Arrived</Th>
          <Th>Answer</Th>
          <Th numeric>Duration</Th>
          <Th>Event</Th>
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <Row key={request.id} request={request} />
        ))}
      </tbody>
    </Table>
  )
}

function Row({ request }: { readonly request: RequestView }) {
  const { at, status, ms } = request
  return (
    <Tr className="max-md:block max-md:px-3.5 max-md:py-2.5">
      <Td className={cell}>
        <Time at={at} style="clock" className="num" />
      </Td>
      <Td className={cell}>
        {status === 200 ? (
          <span className="text-muted">
            <span className="num">200</span> delivered
          </span>
        ) : (
          <Pill tone="fail">
            <span className="num">{status}</span> {request.why ? answerLabels[request.why] : 'Failed'}
          </Pill>
        )}
      </Td>
      <Td numeric className={`${cell} text-muted`}>
        {ms === null ? <span className="max-md:hidden">–</span> : `${ms.toLocaleString('en')} ms`}
      </Td>
      <Td className={`${cell} md:w-full`}>
        <Brought request={request} />
      </Td>
    </Tr>
  )
}

const cell = 'sm:first:pl-5 max-md:mr-3 max-md:inline-block max-md:h-auto max-md:px-0! max-md:text-sm'

function Brought({ request: { event, status } }: { readonly request: RequestView }) {
  if (!event) return <span className="text-muted">{status === 200 ? 'Not read yet' : 'Not read'}</span>
  const { label } = eventLabel(event)
  const type = eventTypeLabel(event.type).label
  return (
    <Link href={subjectPath(event.subjectId)} className="underline-offset-2 hover:underline">
      {type}
      {label !== type && <span className="text-muted"> · {label}</span>}
    </Link>
  )
}

/** Two or three words say why a request was refused. */
export const answerLabels = {
  'wrong-secret': 'Wrong secret',
  'no-authorization': 'No Authorization',
  'other-scheme': 'Another Authorization',
  'too-large': 'More than 1 MiB',
  encoded: 'Unreadable compression',
  'unknown-receiver': 'Closed address',
  'secret-not-known-yet': 'Secret not known yet',
  'secret-not-checkable': 'Secret not checkable',
  'queue-full': 'Too many waiting',
  'too-late': 'Not stored in time',
  'no-memory': 'No memory left',
  database: 'Database away',
  'too-slow': 'Came too slowly',
  'broken-off': 'Broke off',
  'wrong-method': 'No delivery',
} as const satisfies Record<RefusalReason, string>
