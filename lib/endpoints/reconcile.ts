import 'server-only'
import { closeReceiversOf } from '#lib/deliveries/receivers/receiver-store.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { getWebhookEndpoint, type WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { resolveUnansweredCreations } from './secret-handoff-store.ts'

/**
 * Ends what was interrupted and needs nobody's word: receivers of endpoints that are gone are closed, and endpoints
 * whose creation was never answered are found. The watcher does it, in its rounds.
 * @param listed every endpoint of the service, as it listed them at `now`
 */
export async function reconcile(listed: readonly WebhookEndpoint[], now: Date): Promise<void> {
  await closeAbandonedReceivers(listed, now)
  await resolveUnansweredCreations(listed, now)
}

/**
 * Closes the receivers of endpoints that no longer exist, as after an interrupted deletion: their secret must
 * no longer be accepted. Each endpoint is asked for individually, so that an incomplete list closes nothing.
 * If the service knows none of ours, the API key may belong to another merchant: then only receivers whose
 * deletion was requested are closed.
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

/** Milliseconds after which no running change can still touch a receiver. */
const settledAfterMs = 60_000

const isGone = (uuid: string) =>
  getWebhookEndpoint(serviceClient(), uuid).then(
    () => false,
    (error: unknown) => error instanceof ServiceError && error.code === 'not-found',
  )
