import 'server-only'
import { endpointLooks } from './list-endpoint-looks.ts'
import { gapLooks, gapsOfEndpoints } from './list-gap-looks.ts'
import { countLooks } from './list-looks.ts'

/**
 * How many gaps, and how many gaps and endpoints, need a look: what the overview lists of them, without what was muted. It
 * checks nobody.
 * @param seenAt when the service last listed its endpoints; null when it never did
 */
export async function countEndpointLooks(
  seenAt: string | null,
): Promise<Readonly<Record<'gaps' | 'endpoints', number>>> {
  const [gaps, ofEndpoints, endpoints] = await Promise.all([
    countLooks(gapLooks),
    countLooks(gapsOfEndpoints),
    countLooks(endpointLooks, [seenAt]),
  ])
  return { gaps: gaps + ofEndpoints, endpoints: gaps + endpoints }
}
