import { Link } from '#components/ui/link.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { endpointStatuses, type KnownEndpointStatus } from '#lib/deliveries/rules/endpoint-states.ts'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { endpointName, endpointStatusLabel, eventsSummary } from './endpoint-labels.ts'
import { EndpointStatusPill, OffSince, TwinTag } from './endpoint-status.tsx'

/** Each endpoint is a row. A narrow page shows its name, status and health below each other. */
export function EndpointsTable({ endpoints }: { readonly endpoints: readonly EndpointView[] }) {
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
export function StatusFilter({
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
