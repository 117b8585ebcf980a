import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import type { Endpoint } from '#lib/service/webhook-endpoints.ts'
import type { EndpointView, ReceiverView } from './endpoint-view.ts'
import { receiverInPath, receiverOf } from './own-address.ts'

/** Puts beside each endpoint of the service what this dashboard knows of its own addresses. */
export async function readReceivers(endpoints: readonly Endpoint[], now: Date): Promise<EndpointView[]> {
  const ids = endpoints.map(({ url }) => receiverInPath(url)).filter((id) => id !== null)
  const [receivers, refusals] = await Promise.all([
    prisma().receiver.findMany({ where: { id: { in: ids } } }),
    countRefusals(ids, now),
  ])
  return endpoints.map((endpoint) => {
    const ours = receiverOf(endpoint.url) !== null
    const id = receiverInPath(endpoint.url)
    const row = receivers.find((receiver) => receiver.id === id)
    const refused = refusals.find(({ receiverId }) => receiverId === id)
    const receiver: ReceiverView | null = row
      ? {
          id: row.id,
          state: toState(row.state),
          lastDeliveryAt: row.lastDeliveryAt?.toISOString() ?? null,
          refused: refused?._sum.count ?? 0,
          refusedSince: refused?._min.minute?.toISOString() ?? null,
        }
      : null
    const { uuid, url, description, status, subscribedEvents } = endpoint
    const repair = repairOf(uuid, ours, row, now)
    return { uuid, url, description, status, subscribedEvents, ours, receiver, repair }
  })
}

interface ReceiverRow {
  readonly endpointUuid: string | null
  readonly state: string
  readonly updatedAt: Date
}

function repairOf(
  uuid: string,
  ours: boolean,
  row: ReceiverRow | undefined,
  now: Date,
): EndpointView['repair'] {
  if (!ours) return row && row.state !== 'closed' && isOf(row, uuid) ? 'other-address' : null
  if (!row || row.state === 'closed' || !isOf(row, uuid)) return 'no-secret'
  return row.state !== 'active' && !isUnderWay(row, now) ? 'no-secret' : null
}

const isOf = ({ endpointUuid }: ReceiverRow, uuid: string) =>
  endpointUuid === null || endpointUuid === uuid.toLowerCase()

/** A change that began moments ago may still be answered. */
const isUnderWay = ({ updatedAt }: ReceiverRow, now: Date) => now.getTime() - updatedAt.getTime() < 15_000

const toState = (state: string): ReceiverView['state'] =>
  state === 'pending' || state === 'rotating' || state === 'closed' ? state : 'active'

const countRefusals = (ids: readonly string[], now: Date) =>
  prisma().refusal.groupBy({
    by: ['receiverId'],
    where: { receiverId: { in: [...ids] }, minute: { gt: new Date(now.getTime() - 86_400_000) } },
    _sum: { count: true },
    _min: { minute: true },
  })
