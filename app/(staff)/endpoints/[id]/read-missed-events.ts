import type { MissedEvents } from '#components/endpoints/missed-events.tsx'
import { may } from '#lib/domain/access/roles.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { listStates } from '#lib/endpoints/list-states.ts'
import { readMissed } from '#lib/replay/read-missed.ts'
import type { Caller } from '#lib/request/caller.ts'

/** For an endpoint elsewhere that is off, or was within the last week: what it was not sent, from what is stored here. */
export async function readMissedEvents(caller: Caller, endpoint: EndpointView): Promise<MissedEvents | null> {
  if (endpoint.ours || !may(caller.role, 'replay-deliveries')) return null
  const states = await listStates(caller, endpoint.uuid)
  const last = states.find(({ status }) => status !== 'active')
  if (!last || isOver(last.until)) return null
  const off = { from: last.after ?? last.by, until: last.until }
  return { endpointUuid: endpoint.uuid, off, missed: await readMissed(caller, endpoint, off) }
}

/** Nobody looks for what was missed longer ago than this, in ms. */
const offered = 7 * 86_400_000

const isOver = (until: string | null) => until !== null && Date.parse(until) < Date.now() - offered
