import 'server-only'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import {
  beginHandoffOfNewEndpoint,
  deleteHandoffOfNewEndpoint,
  isSameUrl,
  markSecretShown,
} from './secret-handoff-store.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

export interface CreatedEndpoint {
  readonly endpointUuid: string
  readonly url: string
  /** To be shown once, for an endpoint elsewhere; null for this dashboard's own. */
  readonly signingSecret: string | null
}

/** Creates an endpoint elsewhere. `listed`: those there are; without it, the service is asked. */
export async function createElsewhere(
  asked: endpoints.NewEndpoint,
  replaces: string | null,
  listed?: readonly endpoints.Endpoint[],
): Promise<CreatedEndpoint> {
  const before = listed ?? (await endpoints.listEndpoints(service()))
  const known = before.filter(({ url }) => isSameUrl(url, asked.url)).map(({ uuid }) => uuid.toLowerCase())
  const { url, description } = asked
  const id = await beginHandoffOfNewEndpoint({ url, description, known, replaces })
  const made = await endpoints
    .createEndpoint(service(), asked)
    .catch(undoIfSurelyNotDone(() => deleteHandoffOfNewEndpoint(id)))
  await markSecretShown({ id }, made.uuid)
  return { endpointUuid: made.uuid, url: made.url, signingSecret: made.signingSecret }
}
