import 'server-only'
import type { WebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { closeAbandonedReceivers } from './close-abandoned-receivers.ts'
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
