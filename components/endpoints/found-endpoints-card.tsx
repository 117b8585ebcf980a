import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import type { FoundEndpoint } from '#lib/search/found.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { EndpointStatusPill } from './endpoint-status.tsx'

/** A search found these endpoints by name or id. The card is above the other results. */
export const FoundEndpointsCard = ({ endpoints }: { readonly endpoints: readonly FoundEndpoint[] }) => (
  <Card className="mt-4" aria-label="Endpoints">
    <ul>
      {endpoints.map(({ endpointUuid, name, status }) => (
        <li
          key={endpointUuid}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-3.5 py-3 text-table last:border-b-0 hover:bg-hover"
        >
          <Link href={`/endpoints/${endpointUuid}`} data-row className="font-strong row-link">
            {name}
          </Link>
          <EndpointStatusPill status={status} />
          <span className="mono text-muted">{shortId(endpointUuid)}</span>
        </li>
      ))}
    </ul>
  </Card>
)
