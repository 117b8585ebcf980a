import 'server-only'
import { z } from 'zod'
import { addReceiver, forgetReceiver, saveSecretDigest } from '#lib/deliveries/receivers/receiver-store.ts'
import { placeOfUrl, receiverUrl, requireHttps } from '#lib/platform/addresses/public-address.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { requireWritingKey } from '#lib/platform/keys/agree-on-keys.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import {
  DescriptionSchema,
  endpointCommand,
  SubscribedEventsSchema,
  UrlElsewhereSchema,
  undoIfSurelyNotDone,
} from './endpoint-command.ts'
import { recordEndpointChange } from './endpoint-states.ts'
import {
  beginHandoffOfNewEndpoint,
  deleteHandoffOfNewEndpoint,
  isSameUrl,
  markNewSecretShown,
} from './secret-handoff-store.ts'

const shared = {
  description: DescriptionSchema,
  subscribedEvents: SubscribedEventsSchema,
  reason: ReasonSchema,
}

export const CreateEndpointSchema = z.discriminatedUnion(
  'to',
  [
    z.object({ to: z.literal('here'), receiverId: z.uuid().toLowerCase(), ...shared }),
    z.object({ to: z.literal('elsewhere'), url: UrlElsewhereSchema, ...shared }),
  ],
  'Choose where it delivers to.',
)

type Form = z.output<typeof CreateEndpointSchema>

/**
 * This creates an endpoint (§4.2). If the answer is lost, the list shows the endpoint, and nobody knows its secret:
 * `repairEndpoint` repairs one here, `rotateSecret` one elsewhere. Throws `NotAllowed`, `SignInAgain` and
 * `Refused`.
 */
export const createEndpoint = endpointCommand<Form, CreatedEndpointSecret>({
  action: 'endpoint.create',
  operation: 'create-endpoint',
  needsFreshSignIn: true,
  locks: (form) => [placeOf(form)],
  target: placeInWords,
  details: (form) => ({
    url: placeInWords(form),
    description: form.description,
    subscribedEvents: form.subscribedEvents,
  }),
  notice: (form) => ({
    kind: 'endpoint-created',
    facts: { url: placeInWords(form), endpoint: form.description },
  }),
  involves: ({ endpointUuid, signingSecret }) => ({
    endpointUuid,
    made: true,
    sawSecret: signingSecret !== null,
  }),
  async perform(form, { note }) {
    const made = form.to === 'here' ? await createHere(form) : await createThere(form)
    note({ endpointUuid: made.endpointUuid })
    return made
  },
})

/**
 * The audit may contain this place. An address of this dashboard contains the id of a receiver, which only admins
 * may know.
 */
function placeInWords(form: Form): string {
  return placeOfUrl(urlOf(form))
}

/** The lock and the audit use this name for an endpoint that has no uuid yet. */
const placeOf = (form: Form) => (form.to === 'here' ? form.receiverId : form.url)

const urlOf = (form: Form) => (form.to === 'here' ? receiverUrl(form.receiverId) : form.url)

const createThere = ({ url, description, subscribedEvents }: Extract<Form, { to: 'elsewhere' }>) =>
  createEndpointElsewhere({ url, description, subscribedEvents: subscribedEvents ?? undefined }, null)

async function createHere(form: Extract<Form, { to: 'here' }>): Promise<CreatedEndpointSecret> {
  const { receiverId, description, subscribedEvents } = form
  requireHttps()
  requireWritingKey()
  // The receiver's id is in the form, so the same form sent twice makes one endpoint.
  if (!(await addReceiver(receiverId, null, subscribedEvents))) throw new Refused('form-sent-before')
  const asked = performance.now()
  const wanted = { url: urlOf(form), description, subscribedEvents: subscribedEvents ?? undefined }
  const made = await endpoints
    .createWebhookEndpoint(serviceClient(), wanted)
    .catch(undoIfSurelyNotDone(() => forgetReceiver(receiverId)))
  await saveSecretDigest(receiverId, made.uuid, made.signingSecret)
  await recordEndpointChange(made, asked)
  return { endpointUuid: made.uuid, url: made.url, signingSecret: null }
}

export interface CreatedEndpointSecret {
  readonly endpointUuid: string
  readonly url: string
  /** The page shows the secret once, for an endpoint elsewhere; null for an endpoint of this dashboard. */
  readonly signingSecret: string | null
}

/**
 * This creates an endpoint elsewhere. `listed` holds the present endpoints; without it, the service is asked for
 * them.
 */
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
  const handoff = { url, description, knownEndpoints, replaces }
  const id = await beginHandoffOfNewEndpoint(handoff)
  const made = await endpoints
    .createWebhookEndpoint(serviceClient(), asked)
    .catch(undoIfSurelyNotDone(() => deleteHandoffOfNewEndpoint(id)))
  await markNewSecretShown(id, handoff, made.uuid)
  return { endpointUuid: made.uuid, url: made.url, signingSecret: made.signingSecret }
}
