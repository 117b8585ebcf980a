import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import * as endpoints from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { type CreatedEndpoint, createElsewhere } from './create-elsewhere.ts'
import { Description, SubscribedEvents, UrlElsewhere } from './endpoint-forms.ts'
import { ownAddress, requireSecureAddress } from './own-address.ts'
import { performChange } from './perform-change.ts'
import { noteChange } from './receiver-periods.ts'
import { addReceiver, closeReceiver, keepSecret } from './receiver-store.ts'
import { undoIfSurelyNotDone } from './undo-if-surely-not-done.ts'

const shared = { description: Description, subscribedEvents: SubscribedEvents }

export const CreateEndpointForm = z.discriminatedUnion(
  'to',
  [
    z.object({ to: z.literal('here'), receiverId: z.uuid().toLowerCase(), ...shared }),
    z.object({ to: z.literal('elsewhere'), url: UrlElsewhere, ...shared }),
  ],
  'Choose where it delivers to.',
)

type Form = z.output<typeof CreateEndpointForm>

/**
 * Creates an endpoint (§4.2). If its answer is lost, the list shows it without a secret that anybody knows; one here is
 * repaired by `takeOver`, one elsewhere by `rotateSecret`. Throws `NotAllowed` and `Refused`.
 */
export async function createEndpoint(
  caller: Caller,
  form: Form,
  source: CallSource,
): Promise<CreatedEndpoint> {
  const { description, subscribedEvents } = form
  const url = form.to === 'here' ? ownAddress(form.receiverId) : form.url
  const details = { url, description, subscribedEvents }
  const target = form.to === 'here' ? form.receiverId : url
  const change = {
    caller,
    source,
    action: 'endpoint.create',
    operation: 'create-endpoint',
    destructive: false,
    target,
    details,
  } as const
  return performChange(change, () =>
    form.to === 'here'
      ? createHere(form, url)
      : createElsewhere({ url, description, subscribedEvents: subscribedEvents ?? undefined }, null),
  )
}

async function createHere(
  { receiverId, description, subscribedEvents }: Extract<Form, { to: 'here' }>,
  url: string,
): Promise<CreatedEndpoint> {
  requireSecureAddress()
  // The same form sent twice makes one endpoint.
  if (!(await addReceiver(receiverId, null, subscribedEvents))) throw new Refused(sentBefore)
  const asked = performance.now()
  const wanted = { url, description, subscribedEvents: subscribedEvents ?? undefined }
  const made = await endpoints
    .createEndpoint(service(), wanted)
    .catch(undoIfSurelyNotDone(() => closeReceiver(receiverId)))
  await keepSecret(receiverId, made.uuid, made.signingSecret)
  await noteChange(made, asked)
  return { endpointUuid: made.uuid, url: made.url, signingSecret: null }
}

const sentBefore = {
  title: 'This form was sent before.',
  next: 'Look at the list of endpoints; to make another one, open the form anew.',
}
