import 'server-only'
import { closeReceiversOf } from '#lib/deliveries/receivers/receiver-store.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getWebhookEndpoint, type WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { resolveUnansweredCreations } from './secret-handoff-store.ts'

/**
 * The watcher finishes interrupted changes that need no person: it closes receivers of endpoints that are gone, and
 * finds endpoints whose creation was never answered. `listed` holds every endpoint of the service at `now`.
 */
export async function reconcile(listed: readonly WebhookEndpoint[], now: Date): Promise<void> {
  await closeAbandonedReceivers(listed, now)
  await resolveUnansweredCreations(listed, now)
}

/**
 * Receivers of endpoints that no longer exist are closed, because their secret must not be accepted any more. The
 * service is asked about each endpoint, so an incomplete list closes nothing. If it knows none of ours, the key may
 * belong to another merchant: then only receivers with a requested deletion are closed.
 */
async function closeAbandonedReceivers(listed: readonly WebhookEndpoint[], now: Date): Promise<void> {
  const present = new Set<string | null>(listed.map(({ uuid }) => uuid.toLowerCase()))
  const open = await prisma().receiver.findMany({
    where: { state: { not: 'closed' }, endpointUuid: { not: null } },
    select: { endpointUuid: true, state: true, updatedAt: true },
  })
  const anyPresent = open.some(({ endpointUuid }) => present.has(endpointUuid))
  const settled = now.getTime() - settledAfterMs
  const abandoned = open.filter(
    ({ endpointUuid, state, updatedAt }) =>
      !present.has(endpointUuid) && updatedAt.getTime() < settled && (anyPresent || state !== 'active'),
  )
  for (const uuid of new Set(abandoned.map(({ endpointUuid }) => endpointUuid)))
    if (uuid && (await isGone(uuid))) await closeReceiversOf(uuid)
}

/** No running change can still touch a receiver after this many milliseconds. */
const settledAfterMs = 60_000

const isGone = (uuid: string) =>
  getWebhookEndpoint(serviceClient(), uuid).then(
    () => false,
    (error: unknown) => error instanceof ServiceError && error.code === 'not-found',
  )
