import 'server-only'
import { listEndpointLooks } from './list-endpoint-looks.ts'
import { listGapLooks } from './list-gap-looks.ts'

/** How many gaps and endpoints need a look: what the overview lists of them, without what was muted. It checks nobody. */
export async function countEndpointLooks(): Promise<number> {
  const lists = await Promise.all([listGapLooks('gap'), listGapLooks('endpoint'), listEndpointLooks()])
  return lists.flat().length
}
