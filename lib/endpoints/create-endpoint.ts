import 'server-only'
import { z } from 'zod'
import { recordEndpointChange } from '#lib/deliveries/receivers/receiver-periods.ts'
import { addReceiver, closeReceiver, saveSecretDigest } from '#lib/deliveries/receivers/receiver-store.ts'
import { placeOfUrl, receiverUrl, requireHttps } from '#lib/platform/addresses/receiver-url.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { type CreatedEndpointSecret, createEndpointElsewhere } from './create-endpoint-elsewhere.ts'
import { endpointCommand } from './endpoint-command.ts'
import { DescriptionSchema, SubscribedEventsSchema, UrlElsewhereSchema } from './endpoint-forms.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

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
 * Creates an endpoint (§4.2). If its answer is lost, the list shows it without a secret that anybody knows; one here
 * is repaired by `repairEndpoint`, one elsewhere by `rotateSecret`. Throws `NotAllowed`, `SignInAgain` and `Refused`.
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

/** Where it will deliver, as it may stand in the audit: an address of ours names its receiver, which is for admins alone. */
function placeInWords(form: Form): string {
  return placeOfUrl(urlOf(form))
}

/** Names an endpoint that has no uuid yet. */
const placeOf = (form: Form) => (form.to === 'here' ? form.receiverId : form.url)

const urlOf = (form: Form) => (form.to === 'here' ? receiverUrl(form.receiverId) : form.url)

const createThere = ({ url, description, subscribedEvents }: Extract<Form, { to: 'elsewhere' }>) =>
  createEndpointElsewhere({ url, description, subscribedEvents: subscribedEvents ?? undefined }, null)

async function createHere(form: Extract<Form, { to: 'here' }>): Promise<CreatedEndpointSecret> {
  const { receiverId, description, subscribedEvents } = form
  requireHttps()
  // The same form sent twice makes one endpoint.
  if (!(await addReceiver(receiverId, null, subscribedEvents))) throw new Refused(sentBefore)
  const asked = performance.now()
  const wanted = { url: urlOf(form), description, subscribedEvents: subscribedEvents ?? undefined }
  const made = await endpoints
    .createWebhookEndpoint(serviceClient(), wanted)
    .catch(undoIfSurelyNotDone(() => closeReceiver(receiverId)))
  await saveSecretDigest(receiverId, made.uuid, made.signingSecret)
  await recordEndpointChange(made, asked)
  return { endpointUuid: made.uuid, url: made.url, signingSecret: null }
}

const sentBefore = {
  title: 'This form was sent before.',
  next: 'Look at the list of endpoints; to make another one, open the form again.',
}
