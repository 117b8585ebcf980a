import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { RoleWith } from '#lib/access/rules/roles.ts'
import { readWrongSecrets } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import {
  type KnownEndpointStatus,
  parseReceiverState,
  parseSecretHandoffState,
  type ReceiverState,
} from '#lib/deliveries/rules/endpoint-states.ts'
import {
  parseRefusalReason,
  type RefusalReason,
  refusalReasons,
} from '#lib/deliveries/rules/refusal-reasons.ts'
import { type Repair, type RepairFacts, repairElsewhere, repairHere } from '#lib/deliveries/rules/repair.ts'
import { placeOfUrl, receiverIdOf, receiverInPath } from '#lib/platform/addresses/public-address.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { refuseWithServiceMessage, ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import {
  getWebhookEndpoint,
  listWebhookEndpoints,
  type WebhookEndpoint,
} from '#lib/service/webhook-endpoints.ts'
import { announceEndpointChanged, type LastSeenState, readStatesSince } from './endpoint-states.ts'

interface EndpointFilter {
  readonly status?: KnownEndpointStatus | undefined
}

/** The result has every endpoint of the merchant, or those in one state (§4.2). Throws `NotAllowed` and `Refused`. */
export async function listEndpoints(caller: Caller, filter: EndpointFilter = {}): Promise<EndpointView[]> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await endpoints
    .listWebhookEndpoints(serviceClient(), filter)
    .catch(refuseWithServiceMessage('list-endpoints'))
  const views = await readReceivers(found, new Date())
  return views.map((view) => showEndpoint(caller.role, view))
}

/** The endpoint is null when the service has none with this uuid. Throws `NotAllowed` and `Refused`. */
export async function findEndpoint(caller: Caller, uuid: string): Promise<EndpointView | null> {
  requirePermission(caller, 'see-endpoint-health')
  const found = await getFromService(uuid)
  const [view] = found ? await readReceivers([found], new Date()) : []
  return view ? showEndpoint(caller.role, view) : null
}

/** The service gives the endpoint; null when it has none with this uuid. Throws `Refused`. */
const getFromService = (uuid: string): Promise<WebhookEndpoint | null> =>
  getWebhookEndpoint(serviceClient(), uuid).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not-found') return null
    return refuseWithServiceMessage('get-endpoint')(error)
  })

interface EndpointAmongAll {
  /** The endpoint is null when the service has none with this uuid. */
  readonly endpoint: EndpointView | null
  /** The list has every endpoint of the merchant; null when the service does not list them now. */
  readonly all: readonly EndpointView[] | null
}

/**
 * This returns one endpoint and all endpoints, and reads once what is known here of them. Throws `NotAllowed` and
 * `Refused`.
 */
export async function findEndpointAmongAll(caller: Caller, uuid: string): Promise<EndpointAmongAll> {
  requirePermission(caller, 'see-endpoint-health')
  const [found, listed] = await Promise.all([
    getFromService(uuid),
    listWebhookEndpoints(serviceClient()).catch((error: unknown) => {
      if (error instanceof ServiceError) return null
      throw error
    }),
  ])
  if (!found) return { endpoint: null, all: null }
  const views = await readReceivers([found, ...(listed ?? [])], new Date())
  const [endpoint = null, ...all] = views.map((view) => showEndpoint(caller.role, view))
  return { endpoint, all: listed && all }
}

/** The endpoint loses the secret part of its address, unless the role may know it. */
function showEndpoint(role: RoleWith<'see-endpoint-health'>, endpoint: EndpointView): EndpointView {
  const { receiver, url } = endpoint
  if (!receiver?.id) {
    const shown = showRecord(role, 'receiver', { url })
    return { ...endpoint, url: shown.url ?? placeOfUrl(url) }
  }
  const shown = showRecord(role, 'receiver', {
    ...receiver,
    url,
  })
  const { url: whole, ...shownReceiver } = shown
  return { ...endpoint, url: whole ?? url.replaceAll(receiver.id, '…'), receiver: shownReceiver }
}

/** `EndpointView` is an endpoint for a page. Times are ISO 8601. */
export interface EndpointView {
  readonly uuid: string
  readonly url: string
  readonly description: string | null
  /** The status is `active`, `disabled`, `auto_disabled`, or a word that the service added later. */
  readonly status: string
  /**
   * `after`: last seen in another state; `by`: first seen in this one; null while nobody has looked. Times are ISO
   * 8601.
   */
  readonly statusSince: { readonly after: string | null; readonly by: string } | null
  /** The list is null when the endpoint receives every type. */
  readonly subscribedEvents: readonly string[] | null
  /** The url points at this dashboard. */
  readonly ours: boolean
  /** The receiver is known for an address of this dashboard; null for endpoints elsewhere, or when nothing is known. */
  readonly receiver: ReceiverView | null
  /** The repair is null when the endpoint needs none. */
  readonly repair: Repair | null
  /** The secret was shown at this time and is not confirmed as deployed; null when there is none to confirm. */
  readonly shownAt: string | null
  /** This endpoint is deleted once the secret of the new one is deployed. */
  readonly replaces: string | null
  /** This endpoint will replace the present one. */
  readonly replacedBy: string | null
}

export interface ReceiverView {
  /** The id is the secret part of the address; null for roles that must not know it. */
  readonly id: string | null
  readonly state: ReceiverState
  readonly lastDeliveryAt: string | null
  /**
   * `refused` counts deliveries of the last 24 hours that were not accepted, without those of strangers. The most
   * frequent reason comes first.
   */
  readonly refused: number
  readonly refusedSince: string | null
  readonly reasons: readonly { readonly why: RefusalReason | null; readonly count: number }[]
}

const log = logOf('endpoints')

/** Each endpoint of the service gets what this dashboard knows of its address and its secret. */
async function readReceivers(endpoints: readonly WebhookEndpoint[], now: Date): Promise<EndpointView[]> {
  const ids = endpoints.map(({ url }) => receiverInPath(url)).filter((id) => id !== null)
  const uuids = endpoints.map(({ uuid }) => uuid.toLowerCase())
  const [receivers, refusals, wrongSecrets, handoffs, states] = await Promise.all([
    prisma().receiver.findMany({ where: { id: { in: ids } } }),
    countRefusals(ids, now),
    lastWrongSecrets(ids),
    prisma().secretHandoff.findMany({
      where: { OR: [{ endpointUuid: { in: uuids } }, { replaces: { in: uuids } }] },
    }),
    readStatesSince(uuids),
  ])
  wakeWatcher(endpoints, states)
  return endpoints.map((endpoint) => {
    const ours = receiverIdOf(endpoint.url) !== null
    const id = receiverInPath(endpoint.url)
    const row = receivers.find((receiver) => receiver.id === id)
    const refused = refusals.filter(({ receiverId }) => receiverId === id)
    const receiver: ReceiverView | null = row
      ? {
          id: row.id,
          state: parseReceiverState(row.state),
          lastDeliveryAt: row.lastDeliveryAt?.toISOString() ?? null,
          refused: refused.reduce((sum, { count }) => sum + count, 0),
          refusedSince: refused.map(({ since }) => since.toISOString()).toSorted()[0] ?? null,
          reasons: refused.map(({ why, count }) => ({ why: parseRefusalReason(why), count })),
        }
      : null
    const { uuid, url, description, status, subscribedEvents } = endpoint
    const wrongSecretAt = wrongSecrets.find(({ receiverId }) => receiverId === id)?._max.lastAt ?? null
    const handoff = handoffs.find(({ endpointUuid }) => endpointUuid === uuid.toLowerCase())
    const handoffState = handoff ? parseSecretHandoffState(handoff.state) : null
    const facts = row ? toRepairFacts(row, wrongSecretAt) : null
    const repair = ours ? repairHere(uuid, facts, now.getTime()) : repairElsewhere(uuid, facts, handoffState)
    const shownAt = !ours && handoff && handoffState === 'shown' ? handoff.updatedAt.toISOString() : null
    const replaces = handoff?.replaces ?? null
    const replacedBy = handoffs.find((other) => other.replaces === uuid.toLowerCase())?.endpointUuid ?? null
    const secret = { receiver, repair, shownAt, replaces, replacedBy }
    const statusSince = sinceWhen(status, states.get(uuid.toLowerCase()), now)
    return { uuid, url, description, status, statusSince, subscribedEvents, ours, ...secret }
  })
}

/** The service lists a state that the watcher has not seen: it looks now, so the history has it within a moment. */
function wakeWatcher(
  endpoints: readonly WebhookEndpoint[],
  states: ReadonlyMap<string, LastSeenState>,
): void {
  const changed = endpoints.find(({ uuid, status }) => {
    const seen = states.get(uuid.toLowerCase())
    return seen !== undefined && seen.status !== status
  })
  if (changed)
    void announceEndpointChanged(pool(), changed.uuid).catch(noting(log)('warn', 'The watcher was not woken'))
}

/** An endpoint that was last seen in another state has changed since then. */
function sinceWhen(status: string, seen: LastSeenState | undefined, now: Date): EndpointView['statusSince'] {
  if (!seen) return null
  if (seen.status === status) return { after: seen.after, by: seen.by }
  return { after: seen.lastSeenAt, by: now.toISOString() }
}

interface ReceiverRow {
  readonly endpointUuid: string | null
  readonly state: string
  readonly updatedAt: Date
  readonly lastDeliveryAt: Date | null
}

const toRepairFacts = (row: ReceiverRow, wrongSecretAt: Date | null): RepairFacts => ({
  state: parseReceiverState(row.state),
  endpointUuid: row.endpointUuid,
  updatedAt: row.updatedAt.getTime(),
  lastDeliveryAt: row.lastDeliveryAt?.getTime() ?? null,
  wrongSecretAt: wrongSecretAt?.getTime() ?? null,
})

interface Counted {
  readonly receiverId: string
  readonly why: string
  readonly count: number
  readonly since: Date
}

/** The result counts refused deliveries that may have come from the service, with the most frequent reason first. */
async function countRefusals(ids: readonly string[], now: Date): Promise<Counted[]> {
  const dayAgo = new Date(now.getTime() - 86_400_000)
  const [rows, wrong] = await Promise.all([
    prisma().refusal.groupBy({
      by: ['receiverId', 'why'],
      where: { receiverId: { in: [...ids] }, minute: { gt: dayAgo }, why: { not: 'wrong-method' } },
      _sum: { count: true },
      _min: { minute: true },
    }),
    readWrongSecrets(pool(), dayAgo, now.getTime()),
  ])
  const ours = wrong.filter(({ who }) => who !== 'stranger')
  return rows
    .flatMap(({ receiverId, why, _sum, _min }): Counted[] => {
      const known = parseRefusalReason(why)
      const mine =
        known !== null && refusalReasons[known] === 'secret'
          ? ours.filter((minute) => minute.receiverId === receiverId && minute.why === known)
          : null
      const count = mine ? mine.reduce((sum, minute) => sum + minute.count, 0) : (_sum.count ?? 0)
      const since = mine?.[0] ? new Date(mine[0].first) : (_min.minute ?? now)
      return count > 0 ? [{ receiverId, why, count, since }] : []
    })
    .toSorted((a, b) => b.count - a.count)
}

const lastWrongSecrets = (ids: readonly string[]) =>
  prisma().refusal.groupBy({
    by: ['receiverId'],
    where: { receiverId: { in: [...ids] }, why: 'wrong-secret' },
    _max: { lastAt: true },
  })
