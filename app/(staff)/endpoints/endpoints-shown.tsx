import { Webhook } from 'lucide-react'
import type { MendActions } from '#components/endpoints/endpoint-actions.ts'
import { endpointName, endpointStatusLabel, eventsSummary } from '#components/endpoints/endpoint-labels.ts'
import { EndpointStatusPill, OffSince, TwinTag } from '#components/endpoints/endpoint-status.tsx'
import { healthAlerts } from '#components/endpoints/health-alerts.tsx'
import { keyAlerts } from '#components/endpoints/key-alerts.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState, Skeleton } from '#components/ui/empty-state.tsx'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { type Alert, AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { RetryButton } from '#components/ui/shared/retry-button.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { endpointStatuses, type KnownEndpointStatus } from '#lib/deliveries/rules/endpoint-states.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import type { KeyFault } from '#lib/endpoints/read-key-faults.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'

/** The endpoints are below the page's alerts; or an alert says that they could not be read. */
export function EndpointsShown({
  answer,
  keyFaults,
  gaps,
  status,
  actions,
}: {
  readonly answer: readonly EndpointView[] | Refused
  readonly keyFaults: readonly KeyFault[]
  /** `gaps` are the lasting gaps of endpoints that the service disabled. */
  readonly gaps: readonly GapView[]
  readonly status: KnownEndpointStatus | null
  /** `actions` is null for roles that cannot change endpoints. */
  readonly actions: MendActions | null
}) {
  return (
    <>
      <AlertSlot className="mt-5" alerts={[...keyAlerts(keyFaults), ...alertsOf(answer, gaps, actions)]} />
      <div className="mt-5 grid gap-4">
        {answer instanceof Refused ? (
          // The button is here and not in the alert, which may be behind a worse one.
          <Card className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 px-gutter py-4 sm:px-5">
            <p className="text-muted text-sm">The endpoints are listed here once they can be read.</p>
            <RetryButton />
          </Card>
        ) : (
          <Endpoints endpoints={answer} status={status} mayManage={actions !== null} />
        )}
      </div>
    </>
  )
}

function alertsOf(
  answer: readonly EndpointView[] | Refused,
  gaps: readonly GapView[],
  actions: MendActions | null,
): Alert[] {
  if (answer instanceof Refused)
    return [{ key: 'unread', kind: 'error', shown: <RefusalCallout refusal={wordRefusal('en', answer)} /> }]
  return answer.length === 0 ? [] : healthAlerts(answer, gaps, actions)
}

function Endpoints({
  endpoints,
  status,
  mayManage,
}: {
  readonly endpoints: readonly EndpointView[]
  readonly status: KnownEndpointStatus | null
  readonly mayManage: boolean
}) {
  const shown = status ? endpoints.filter((endpoint) => endpoint.status === status) : endpoints
  if (endpoints.length === 0) return <NoEndpoints mayManage={mayManage} />
  return (
    <>
      <StatusFilter endpoints={endpoints} chosen={status} />
      <Card>
        {shown.length > 0 ? (
          <EndpointsTable endpoints={shown} />
        ) : (
          <EmptyState
            title={`No endpoint is ${status ? endpointStatusLabel(status).label.toLowerCase() : 'here'}`}
            action={<ButtonLink href="/endpoints">Show all</ButtonLink>}
          />
        )}
      </Card>
      <p className="text-muted text-sm">
        {shown.some((endpoint) => !endpoint.ours) &&
          '“Not seen here”: this dashboard does not see deliveries to these endpoints. '}
        {!mayManage && 'Only admins can add and change endpoints.'}
      </p>
    </>
  )
}

function NoEndpoints({ mayManage }: { readonly mayManage: boolean }) {
  return (
    <Card>
      <EmptyState
        icon={Webhook}
        title="The provider delivers nowhere yet"
        action={
          mayManage && (
            <ButtonLink variant="primary" href="/endpoints/new">
              Add this dashboard
            </ButtonLink>
          )
        }
      >
        Once an endpoint points here, events appear on the timeline as they happen.
        {!mayManage && ' Only admins can add one.'}
      </EmptyState>
    </Card>
  )
}

/**
 * The skeleton is shown while the service is asked. The caller is known before: a person without access gets no
 * stream.
 */
export function EndpointsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the endpoints</span>
      <Skeleton className="h-7 w-52" />
      <Skeleton className="mt-2.5 h-4 w-80 max-w-full" />
      <Skeleton className="mt-6 h-8.5 w-96 max-w-full" />
      <Card className="mt-4">
        {[0, 1, 2, 3].map((row) => (
          <div key={row} className="border-b px-3 py-3 last:border-b-0">
            <Skeleton className="h-4 w-48" />
            <Skeleton className="mt-2 h-4 w-80 max-w-full" />
          </div>
        ))}
      </Card>
    </div>
  )
}

/** Each endpoint is a row. A narrow page shows its name, status and health below each other. */
function EndpointsTable({ endpoints }: { readonly endpoints: readonly EndpointView[] }) {
  return (
    <ListTable>
      <thead className="max-md:sr-only">
        <tr>
          <Th className="w-[42%] xl:w-[44%]">Endpoint</Th>
          <Th className="w-[22%] xl:w-38">Status</Th>
          <Th className="max-xl:hidden">Events</Th>
          <Th>Last delivery</Th>
          <Th numeric>Failed (24 h)</Th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <Row key={endpoint.uuid} endpoint={endpoint} />
        ))}
      </tbody>
    </ListTable>
  )
}

function Row({ endpoint }: { readonly endpoint: EndpointView }) {
  const { uuid, url, status, statusSince, subscribedEvents, ours, receiver, repair } = endpoint
  return (
    <Tr className="relative transition-colors hover:bg-hover max-md:block max-md:px-3 max-md:py-3">
      <Td className="h-auto py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
        <span className="flex flex-wrap items-center gap-x-2">
          <Link
            href={`/endpoints/${uuid}`}
            data-row
            className="wrap-anywhere whitespace-normal font-strong row-link"
          >
            {endpointName(endpoint)}
          </Link>
          {ours && <Tag className="shrink-0">This dashboard</Tag>}
          <TwinTag endpoint={endpoint} />
        </span>
        <span className="mono block truncate text-muted" title={url}>
          {url}
        </span>
      </Td>
      <Td className={`${cell} whitespace-normal! md:py-2`}>
        <EndpointStatusPill status={status} />
        {status !== 'active' && statusSince && (
          <span className="block text-muted text-xs">
            <OffSince since={statusSince} />
          </span>
        )}
        {repair && <Tag className="ml-1.5 border-held text-held">Needs repair</Tag>}
      </Td>
      <Td className="whitespace-normal! py-2 text-muted max-xl:hidden">{eventsSummary(subscribedEvents)}</Td>
      <Td className={`${cell} text-muted`}>
        <span className="md:hidden">Last delivery: </span>
        {!ours ? (
          'not seen here'
        ) : receiver?.lastDeliveryAt ? (
          <Time at={receiver.lastDeliveryAt} />
        ) : (
          'none yet'
        )}
      </Td>
      <Td numeric className={cell}>
        {receiver ? (
          <span className={receiver.refused > 0 ? 'font-strong text-fail' : 'text-muted'}>
            {receiver.refused}
            <span className="md:hidden"> failed</span>
          </span>
        ) : (
          <span className="text-faint max-md:hidden">–</span>
        )}
      </Td>
    </Tr>
  )
}

const cell =
  'max-md:mr-4 max-md:inline-block max-md:overflow-visible! max-md:h-auto max-md:px-0! max-md:text-sm'

/** The filter chooses one status or any, with the number of each. The choice is in the address. */
function StatusFilter({
  endpoints,
  chosen,
}: {
  readonly endpoints: readonly EndpointView[]
  readonly chosen: KnownEndpointStatus | null
}) {
  return (
    <Segmented
      name="Status"
      segments={[
        {
          key: 'any',
          label: 'Any status',
          count: endpoints.length,
          href: '/endpoints',
          chosen: chosen === null,
        },
        ...endpointStatuses.map((status) => ({
          key: status,
          label: endpointStatusLabel(status).label,
          count: endpoints.filter((endpoint) => endpoint.status === status).length,
          href: `/endpoints?status=${status}`,
          chosen: chosen === status,
        })),
      ]}
    />
  )
}
