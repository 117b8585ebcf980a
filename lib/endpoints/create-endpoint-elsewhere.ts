import 'server-only'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import {
  beginHandoffOfNewEndpoint,
  deleteHandoffOfNewEndpoint,
  isSameUrl,
  markSecretShown,
} from './secret-handoff-store.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

export interface CreatedEndpointSecret {
  readonly endpointUuid: string
  readonly url: string
  /** To be shown once, for an endpoint elsewhere; null for this dashboard's own. */
  readonly signingSecret: string | null
}

/** Creates an endpoint elsewhere. `listed`: those there are; without it, the service is asked. */
export async function createEndpointElsewhere(
  asked: endpoints.NewWebhookEndpoint,
  replaces: string | null,
  listed?: readonly endpoints.WebhookEndpoint[],
): Promise<CreatedEndpointSecret> {
  const before = listed ?? (await endpoints.listWebhookEndpoints(serviceClient()))
  const knownEndpoints = before
    .filter(({ url }) => isSameUrl(url, asked.url))
    .map(({ uuid }) => uuid.toLowerCase())
  const { url, description } = asked
  const id = await beginHandoffOfNewEndpoint({ url, description, knownEndpoints, replaces })
  const made = await endpoints
    .createWebhookEndpoint(serviceClient(), asked)
    .catch(undoIfSurelyNotDone(() => deleteHandoffOfNewEndpoint(id)))
  await markSecretShown({ id }, made.uuid)
  return { endpointUuid: made.uuid, url: made.url, signingSecret: made.signingSecret }
}
