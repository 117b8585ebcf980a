import type { MissedEvents } from '#components/endpoints/missed-events.tsx'
import { may } from '#lib/domain/access/roles.ts'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { listStates } from '#lib/endpoints/list-states.ts'
import { readMissed, type TimeOff } from '#lib/replay/read-missed.ts'
import type { Caller } from '#lib/request/caller.ts'

/** For an endpoint elsewhere that is off, or was within the last week: what it was not sent, from what is stored here. */
export async function readMissedEvents(caller: Caller, endpoint: EndpointView): Promise<MissedEvents | null> {
  if (endpoint.ours || !may(caller.role, 'replay-deliveries')) return null
  const off =
    endpoint.status === 'active' ? await lastTimeOff(caller, endpoint) : timeOff(endpoint.statusSince)
  if (!off) return null
  return { endpointUuid: endpoint.uuid, off, missed: await readMissed(caller, endpoint, off) }
}

/** It lasts. Known at once, although the next look of the minute has not seen it yet. */
const timeOff = (since: EndpointView['statusSince']): TimeOff | null =>
  since && { from: since.after ?? since.by, until: null }

async function lastTimeOff(caller: Caller, { uuid }: EndpointView): Promise<TimeOff | null> {
  const last = (await listStates(caller, uuid)).find(({ status }) => status !== 'active')
  if (!last || isOver(last.until)) return null
  return { from: last.after ?? last.by, until: last.until }
}

/** Nobody looks for what was missed longer ago than this, in ms. */
const offered = 7 * 86_400_000

const isOver = (until: string | null) => until !== null && Date.parse(until) < Date.now() - offered
