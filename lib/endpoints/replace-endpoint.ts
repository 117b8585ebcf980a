import 'server-only'
import { z } from 'zod'
import { closeReceiversOf, markDeleting } from '#lib/deliveries/receivers/receiver-store.ts'
import { placeOfUrl, receiverIdOf } from '#lib/platform/addresses/public-address.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { deleteWebhookEndpoint, listWebhookEndpoints } from '#lib/service/webhook-endpoints.ts'
import { type CreatedEndpointSecret, createEndpointElsewhere } from './create-endpoint.ts'
import {
  aboutOneEndpoint,
  EndpointUuidSchema,
  endpointCommand,
  SeenSecretSchema,
  UrlElsewhereSchema,
  undoIfSurelyNotDone,
} from './endpoint-command.ts'
import {
  deleteSecretHandoff,
  findSecretHandoff,
  isBeingReplaced,
  markSecretDeployed,
  requireSameSecret,
  resolveUnansweredCreations,
} from './secret-handoff-store.ts'

export const DeleteEndpointSchema = z.object({ endpointUuid: EndpointUuidSchema, reason: ReasonSchema })

/**
 * This deletes an endpoint, which then receives nothing more (§3.1), and closes its receiver. An endpoint that is
 * already gone counts as deleted. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export const deleteEndpoint = endpointCommand<
  z.output<typeof DeleteEndpointSchema>,
  { readonly endpointUuid: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.delete',
  operation: 'delete-endpoint',
  needsFreshSignIn: true,
  notice: () => ({ kind: 'endpoint-deleted' }),
  involves: ({ endpointUuid }) => ({ endpointUuid, gone: true }),
  noLongerOff: ({ endpointUuid }) => endpointUuid,
  async perform({ endpointUuid }) {
    await deleteAtService(endpointUuid)
    return { endpointUuid }
  },
})

/**
 * The service deletes the endpoint; one that is already gone counts as deleted. Then Rampart deletes what it kept
 * for it.
 */
async function deleteAtService(endpointUuid: string): Promise<void> {
  const undo = await markDeleting(endpointUuid)
  await deleteWebhookEndpoint(serviceClient(), endpointUuid)
    .catch(ignoreNotFound)
    .catch(undoIfSurelyNotDone(undo))
  await closeReceiversOf(endpointUuid)
  await deleteSecretHandoff(endpointUuid)
}

function ignoreNotFound(error: unknown) {
  if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
}

export const ReplaceEndpointSchema = z.object({
  endpointUuid: EndpointUuidSchema,
  url: UrlElsewhereSchema,
  reason: ReasonSchema,
})

/**
 * A second endpoint elsewhere replaces the first without a gap. Its own secret is shown once, and both deliver
 * until `finishReplacement` deletes the old one. Throws `NotAllowed`, `SignInAgain` and `Refused`. ASSUMED: two
 * endpoints may have the same url (§4.2 does not forbid it); the form offers another.
 */
export const replaceEndpoint = endpointCommand<z.output<typeof ReplaceEndpointSchema>, CreatedEndpointSecret>(
  {
    action: 'endpoint.replace',
    operation: 'create-endpoint',
    needsFreshSignIn: true,
    // Two creations of one url at the same time would each mistake the other's endpoint for their own.
    locks: ({ endpointUuid, url }) => [endpointUuid, url],
    target: ({ endpointUuid }) => endpointUuid,
    details: ({ url }) => ({ url: placeOfUrl(url) }),
    notice: ({ url }) => ({ kind: 'endpoint-replaced', facts: { url: placeOfUrl(url) } }),
    involves: ({ endpointUuid }) => ({ endpointUuid, made: true, sawSecret: true }),
    async perform({ endpointUuid, url }, { note }) {
      const listed = await listWebhookEndpoints(serviceClient())
      await resolveUnansweredCreations(listed, new Date(await readClock(pool())))
      const old = listed.find(({ uuid }) => uuid.toLowerCase() === endpointUuid)
      if (!old) throw new Refused('endpoint-gone')
      if (receiverIdOf(old.url) !== null) throw new Refused('endpoint-here')
      if (await isBeingReplaced(endpointUuid)) throw new Refused('replacement-begun')
      const asked = {
        url,
        description: old.description || 'Replacement',
        subscribedEvents: old.subscribedEvents ?? undefined,
      }
      const made = await createEndpointElsewhere(asked, endpointUuid, listed)
      note({ endpointUuid: made.endpointUuid })
      return made
    },
  },
)

export const FinishReplacementSchema = z.object({
  endpointUuid: EndpointUuidSchema,
  reason: ReasonSchema,
  seen: SeenSecretSchema,
})

/**
 * The secret of the second endpoint, `endpointUuid`, is deployed, so the endpoint that it replaces is deleted. A
 * second call finishes an interrupted one. Throws `NotAllowed`, `SignInAgain` and `Refused`, also when the second one
 * would not deliver alone, or the first one delivers here now.
 */
export const finishReplacement = endpointCommand<
  z.output<typeof FinishReplacementSchema>,
  { readonly endpointUuid: string; readonly replaced: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.finish-replacement',
  operation: 'delete-endpoint',
  needsFreshSignIn: true,
  notice: () => ({ kind: 'endpoint-deleted' }),
  involves: ({ replaced }) => ({ endpointUuid: replaced, gone: true }),
  noLongerOff: ({ replaced }) => replaced,
  async perform({ endpointUuid, seen }, { lockAlso, note }) {
    const handoff = await findSecretHandoff(endpointUuid)
    if (!handoff?.replaces) throw new Refused('no-replacement')
    const { replaces, state } = handoff
    note({ replaces })
    if (state === 'requested') throw new Refused('secret-never-shown')
    requireSameSecret(handoff, seen)
    await lockAlso(replaces)
    await requireReplaceable(replaces, endpointUuid)
    const undo = await markSecretDeployed(handoff)
    await deleteAtService(replaces).catch(undoIfSurelyNotDone(undo))
    await deleteSecretHandoff(endpointUuid)
    return { endpointUuid, replaced: replaces }
  },
})

async function requireReplaceable(old: string, by: string): Promise<void> {
  const listed = await listWebhookEndpoints(serviceClient())
  const find = (wanted: string) => listed.find(({ uuid }) => uuid.toLowerCase() === wanted)
  const first = find(old)
  if (find(by)?.status !== 'active' || (first && receiverIdOf(first.url) !== null))
    throw new Refused('changed-meanwhile')
}
