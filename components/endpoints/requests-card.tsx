import { subjectPath } from '#components/ui/browser/paths.ts'
import { Card } from '#components/ui/card.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { HourTable } from '#components/ui/shared/hour-table.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { RequestFilters, RequestPage, RequestView } from '#lib/endpoints/list-requests.ts'
import type { Traffic, TrafficHour } from '#lib/endpoints/read-traffic.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'

/** The card shows the requests at an endpoint of this dashboard: how many, which come again, and each request. */
export function RequestsCard({
  path,
  filters,
  page,
  traffic,
  active,
}: {
  readonly path: string
  readonly filters: RequestFilters
  readonly page: RequestPage
  readonly traffic: Traffic
  /** The service sends only to an active endpoint (§6). */
  readonly active: boolean
}) {
  const { answer, before } = filters
  return (
    <section id="requests" className="min-w-0 overflow-hidden rounded-xl border bg-surface scroll-mt-4">
      <div className="grid gap-4 px-4 pt-4 pb-3.5 sm:px-5">
        <header className="flex flex-wrap items-baseline justify-between gap-x-3">
          <h2 className="font-title text-muted text-sm">Requests</h2>
          <p className="text-faint text-xs">The last 7 days, without bodies and secrets</p>
        </header>
        <RequestsChart hours={traffic.hours} />
        {active && <NextAttempts traffic={traffic} />}
        <Choices path={path} filters={filters} traffic={traffic} />
      </div>
      <div className="border-t">
        {page.rows.length > 0 ? (
          <RequestsTable requests={page.rows} />
        ) : (
          <p className="px-4 py-6 text-center text-muted text-sm sm:px-5">
            {before
              ? 'Nothing more here.'
              : answer
                ? 'No such request in the last 7 days.'
                : 'Nothing arrived in the last 7 days.'}
          </p>
        )}
      </div>
      <PageLinks
        name="Pages of requests"
        newest={before ? address(path, { answer }) : null}
        older={page.next && address(path, { answer, before: page.next })}
        scroll={false}
      />
      {traffic.reasons.some(({ count }) => count > 0) && (
        <p className="border-t px-4 py-2 text-faint text-xs sm:px-5">
          <span className="block max-w-[80ch]">
            The chart (48 hours) and the counts (7 days) include calls by strangers. Alerts count the
            provider’s deliveries of 24 hours. The list shows up to 60 requests of each kind a minute.
          </span>
        </p>
      )}
    </section>
  )
}

function Choices({
  path,
  filters,
  traffic: { reasons },
}: {
  readonly path: string
  readonly filters: RequestFilters
  readonly traffic: Traffic
}) {
  const choices = [
    { answer: undefined, label: 'Any answer', count: null },
    { answer: 'taken', label: 'Delivered', count: null },
    { answer: 'refused', label: 'Failed', count: reasons.reduce((total, { count }) => total + count, 0) },
    ...reasons.map(({ why, count }) => ({ answer: why, label: answerLabels[why], count })),
  ]
  return (
    <Segmented
      name="Answer"
      segments={choices.map(({ answer, label, count }) => ({
        key: label,
        label,
        ...(count === null ? {} : { count: count.toLocaleString('en') }),
        href: address(path, { answer }),
        chosen: answer === filters.answer,
      }))}
    />
  )
}

const address = (
  path: string,
  { answer, before }: { answer?: string | undefined; before?: string | undefined },
) => {
  const query = new URLSearchParams({
    ...(answer ? { answer } : {}),
    ...(before ? { before } : {}),
  }).toString()
  return query === '' ? path : `${path}?${query}`
}

/** An endpoint elsewhere has no requests here. The card says why, and what can be sent there. */
export function RequestsElsewhere({ sendFrom }: { readonly sendFrom: string | null }) {
  return (
    <Card title="Requests">
      <p className="text-muted text-sm">
        Deliveries to this endpoint are not seen here.
        {sendFrom && ' Stored deliveries can be sent there.'}
      </p>
      {sendFrom && (
        <p className="mt-3">
          <ButtonLink href={sendFrom}>Send stored deliveries…</ButtonLink>
        </p>
      )}
    </Card>
  )
}

/** The chart shows the requests of each hour. The server draws it, with a table of the same numbers. */
function RequestsChart({ hours }: { readonly hours: readonly TrafficHour[] }) {
  const busiest = Math.max(0, ...hours.map(({ taken, refused }) => taken + refused))
  const [taken, refused] = [sum(hours, 'taken'), sum(hours, 'refused')]
  const bars = hours.map((hour, index) => barsOf(hour, index * 10 + 1, busiest || 1))
  const first = hours[0]
  return (
    <figure>
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-sm">
        <span className="flex items-center gap-1.5">
          <svg className="size-2.5" viewBox="0 0 10 10" aria-hidden>
            <rect width="10" height="10" rx="2" className="fill-faint" />
          </svg>
          <span className="num">{taken.toLocaleString('en')}</span> delivered
        </span>
        <span className="flex items-center gap-1.5">
          <svg className="size-2.5" viewBox="0 0 10 10" aria-hidden>
            <rect width="10" height="10" rx="2" className="fill-fail" />
          </svg>
          <span className="num">{refused.toLocaleString('en')}</span> failed
        </span>
        <span>
          in {hours.length} hours, busiest hour: {busiest.toLocaleString('en')}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${hours.length * 10} 60`}
        preserveAspectRatio="none"
        className="mt-3 block h-16 w-full border-b"
        aria-hidden
      >
        <path d={bars.map(({ below }) => below).join('')} className="fill-faint" />
        <path d={bars.map(({ above }) => above).join('')} className="fill-fail" />
      </svg>
      <p className="mt-1 flex justify-between text-faint text-xs" aria-hidden>
        {first && <Time at={first.at} style="minute" className="num" />}
        <span>now</span>
      </p>
      <HourTable
        columns={[
          { id: 'taken', label: 'Delivered' },
          { id: 'refused', label: 'Failed' },
        ]}
        hours={hours.map(({ at, taken, refused }) => ({ at, counts: [taken, refused] }))}
        dense
        className="max-w-md"
      />
    </figure>
  )
}

/**
 * Refused requests are on top of the accepted ones, and never too small to be seen. All hours share two outlines,
 * because an element for each bar would take the server longer than the rest of the card.
 */
function barsOf({ taken, refused }: TrafficHour, x: number, most: number) {
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max((count / most) * 58, 1.5))
  const [below, above] = [heightOf(taken), heightOf(refused)]
  return { below: bar(x, 60 - below, below), above: bar(x, Math.max(60 - below - above, 0), above) }
}

const bar = (x: number, y: number, height: number) => (height === 0 ? '' : `M${x} ${y}h8v${height}h-8z`)

const sum = (hours: readonly TrafficHour[], which: 'taken' | 'refused') =>
  hours.reduce((total, hour) => total + hour[which], 0)

/** The text says about when the service sends refused deliveries again. Nothing is shown when none are expected. */
export function NextAttempts({ traffic: { retries, givenUp, atLeast } }: { readonly traffic: Traffic }) {
  if (retries.length === 0 && givenUp === 0) return null
  return (
    <p className="text-sm">
      {retries.length > 0 && (
        <>
          <b className="font-title">Next attempts</b>{' '}
          {retries.map(({ at, deliveries }, index) => (
            <span key={at}>
              {index > 0 && ', '}
              about <Time at={at} style="minute" className="num" />
              {atLeast && ` (at least ${deliveries.toLocaleString('en')})`}
              {!atLeast && deliveries > 1 && ` (${deliveries.toLocaleString('en')})`}
            </span>
          ))}
          <span className="text-muted">, by the schedule of retries.</span>
        </>
      )}
      {givenUp > 0 && (
        <span className="text-muted">
          {' '}
          {atLeast ? 'At least ' : ''}
          {givenUp === 1
            ? `${atLeast ? 'one' : 'One'} delivery`
            : `${givenUp.toLocaleString('en')} deliveries`}{' '}
          had the seventh and last attempt.
        </span>
      )}
    </p>
  )
}

/** Requests come newest first. A narrow page shows the facts of each below each other. */
function RequestsTable({ requests }: { readonly requests: readonly RequestView[] }) {
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
const answerLabels = {
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
