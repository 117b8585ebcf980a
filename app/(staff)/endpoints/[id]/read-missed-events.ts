import type { MissedEvents } from '#components/endpoints/missed-events.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { timesOff } from '#lib/deliveries/rules/times-off.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { listStates, type SeenState } from '#lib/endpoints/list-states.ts'
import { readMissed } from '#lib/endpoints/replays/read-missed.ts'

/** Nobody looks for what was missed longer ago than this, in ms. */
const offered = 7 * 86_400_000

/** Times off that are offered, the latest: each one is counted. */
const most = 10

/** Looked for times off. */
const statesRead = 100

/** What an endpoint elsewhere was not sent each time that it was off within the last week, from what is stored here; the latest first. */
export async function readMissedEvents(caller: Caller, endpoint: EndpointView): Promise<MissedEvents[]> {
  if (endpoint.ours || !may(caller.role, 'replay-deliveries')) return []
  const states = upToNow(endpoint, await listStates(caller, endpoint.uuid, statesRead))
  const times = timesOff(states).filter(({ until }) => !isOver(until))
  return Promise.all(
    times.slice(0, most).map(async (off) => ({
      endpointUuid: endpoint.uuid,
      off,
      missed: await readMissed(caller, endpoint, off),
    })),
  )
}

/** With the state that it is in now, which the next look of the minute has not seen yet. */
function upToNow({ status, statusSince }: EndpointView, states: readonly SeenState[]): readonly SeenState[] {
  const [last, ...earlier] = states
  if (!statusSince || !last || last.status === status) return states
  return [{ status, ...statusSince, until: null }, { ...last, until: statusSince.by }, ...earlier]
}

const isOver = (until: string | null) => until !== null && Date.parse(until) < Date.now() - offered
