import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { lowerCase } from '#lib/platform/db/any-case.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import type { FoundEndpoint } from './found.ts'
import { searchQuery } from './search-query.ts'

/** The endpoints that deliver here whose name holds the text, or whose id begins with it; none for roles that see none. */
export async function findEndpoints({ role }: Caller, text: CleanText): Promise<FoundEndpoint[]> {
  const wanted = text.toLowerCase()
  if (!may(role, 'see-endpoint-health') || wanted.length < 3 || wanted.length > 100) return []
  const rows = await searchQuery<EndpointRow>(ENDPOINTS, [wanted])
  return rows.map(({ endpoint_uuid: endpointUuid, name, status }) => ({ endpointUuid, name, status }))
}

interface EndpointRow {
  readonly endpoint_uuid: string
  readonly name: string
  readonly status: string
}

const ENDPOINTS = `
  SELECT endpoint_uuid, name, status FROM watched_endpoint
  WHERE strpos(${lowerCase('name')}, $1) > 0 OR starts_with(endpoint_uuid::text, $1) ORDER BY name, endpoint_uuid LIMIT 5`
