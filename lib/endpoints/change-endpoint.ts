import 'server-only'
import { z } from 'zod'
import { changedMeanwhile, nothingToChange } from '#lib/access/refused-changes.ts'
import { recordEndpointChange } from '#lib/deliveries/receivers/receiver-periods.ts'
import { closeReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import { seenOfEndpoint } from '#lib/deliveries/rules/endpoint-states.ts'
import { type EventType, eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { placeOfUrl, receiverIdOf } from '#lib/platform/addresses/receiver-url.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import {
  getWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '#lib/service/webhook-endpoints.ts'
import type { CommandChange } from './command-record.ts'
import {
  aboutOneEndpoint,
  EndpointUuidSchema,
  endpointCommand,
  type RunningCommand,
  SubscribedEventsSchema,
  UrlElsewhereSchema,
  undoIfSurelyNotDone,
} from './endpoint-command.ts'
import { pointEndpointHere } from './point-endpoint-here.ts'
import { beginHandoff } from './secret-handoff-store.ts'

const shared = {
  endpointUuid: EndpointUuidSchema,
  subscribedEvents: SubscribedEventsSchema,
  /** Of `seenOfEndpoint`, where a page had shown it. */
  seen: z.string().optional(),
  reason: ReasonSchema,
}

/** The description cannot be changed (§4.2). */
export const ChangeEndpointSchema = z.discriminatedUnion(
  'to',
  [
    z.object({ to: z.literal('same'), ...shared }),
    z.object({ to: z.literal('here'), ...shared }),
    z.object({ to: z.literal('elsewhere'), url: UrlElsewhereSchema, ...shared }),
  ],
  'Choose where it delivers to.',
)

type Form = z.output<typeof ChangeEndpointSchema>

export interface EndpointChangeResult {
  readonly endpointUuid: string
  /** True after it was pointed away from here: its new place needs a secret, which only a rotation shows. */
  readonly secretUnknown: boolean
}

/**
 * Changes url and subscribed events. An url that becomes ours makes a receiver and rotates the secret; one that
 * leaves us closes the receiver. Throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`, also where the endpoint is
 * not as the form had shown it.
 */
export const changeEndpoint = endpointCommand<Form, EndpointChangeResult>({
  ...aboutOneEndpoint,
  action: 'endpoint.change',
  operation: 'update-endpoint',
  needsFreshSignIn: true,
  notice: (form) => ({ kind: 'endpoint-changed', facts: { to: placeOf(form) } }),
  involves: ({ endpointUuid }, { to }) => ({ endpointUuid, newSecret: to === 'here' }),
  // Pointed away from here, it is none of ours.
  noLongerOff: ({ endpointUuid, secretUnknown }) => (secretUnknown ? endpointUuid : null),
  details: (form) => ({
    to: form.to === 'elsewhere' ? placeOfUrl(form.url) : form.to,
    subscribedEvents: form.subscribedEvents,
  }),
  perform: apply,
})

/** Where it delivers, in words for a notice. */
const placeOf = (form: Form) =>
  form.to === 'elsewhere'
    ? placeOfUrl(form.url)
    : form.to === 'here'
      ? 'this dashboard'
      : 'where it did before'

async function apply(form: Form, { changing }: RunningCommand): Promise<EndpointChangeResult> {
  const { endpointUuid } = form
  const present = await getWebhookEndpoint(serviceClient(), endpointUuid)
  if (form.seen !== undefined && form.seen !== seenOfEndpoint(present)) throw new Refused(changedMeanwhile)
  const ours = receiverIdOf(present.url)
  const subscribedEvents = changedEvents(form.subscribedEvents, present)
  changing(changeOf(present, form, subscribedEvents))
  if (form.to === 'here' && ours === null) {
    await pointEndpointHere(endpointUuid, subscribedEvents)
    return { endpointUuid, secretUnknown: false }
  }
  const url = form.to === 'elsewhere' && form.url !== present.url ? form.url : undefined
  if (url === undefined && subscribedEvents === undefined) throw new Refused(nothingToChange)
  if (url === undefined || ours === null) {
    const asked = performance.now()
    await recordEndpointChange(
      await updateWebhookEndpoint(serviceClient(), endpointUuid, { url, subscribedEvents }),
      asked,
    )
    return { endpointUuid, secretUnknown: false }
  }
  const undo = await beginHandoff(endpointUuid)
  await updateWebhookEndpoint(serviceClient(), endpointUuid, { url, subscribedEvents }).catch(
    undoIfSurelyNotDone(undo),
  )
  await closeReceiver(ours)
  return { endpointUuid, secretUnknown: true }
}

const placeWanted = (form: Form, present: WebhookEndpoint) =>
  form.to === 'here' ? 'this dashboard' : placeOfUrl(form.to === 'elsewhere' ? form.url : present.url)

/** Where it delivers and which types, before and after; what stays as it is has no place. */
function changeOf(
  present: WebhookEndpoint,
  form: Form,
  subscribedEvents: readonly EventType[] | undefined,
): CommandChange {
  const from = placeOfUrl(present.url)
  const place = placeWanted(form, present)
  // Two paths of one host read alike.
  const moves = place !== from || (form.to === 'elsewhere' && form.url !== present.url)
  return {
    before: {
      ...(moves ? { deliversTo: from } : {}),
      ...(subscribedEvents ? { subscribedEvents: present.subscribedEvents ?? 'every type' } : {}),
    },
    after: { ...(moves ? { deliversTo: place } : {}), ...(subscribedEvents ? { subscribedEvents } : {}) },
  }
}

/** Undefined when they stay as they are. ASSUMED: nothing that can be sent means "every type, later ones too" again. */
function changedEvents(wanted: readonly EventType[] | null, { subscribedEvents }: WebhookEndpoint) {
  const present = subscribedEvents ?? eventTypes
  if (wanted === null) {
    if (subscribedEvents === null) return undefined
    throw new InvalidInput({
      subscribedEvents: 'Choose at least one event; to stop all, disable the endpoint.',
    })
  }
  const same = wanted.length === present.length && wanted.every((type) => present.includes(type))
  return same ? undefined : wanted
}

export const SetStatusSchema = z.object({
  endpointUuid: EndpointUuidSchema,
  status: z.enum(['active', 'disabled'], 'An endpoint can be made active or disabled.'),
  reason: ReasonSchema,
})

/** Disables an endpoint, or makes it active again (§3.1). Throws `NotAllowed`, `SignInAgain` and `Refused`. */
export const setStatus = endpointCommand<
  z.output<typeof SetStatusSchema>,
  { readonly endpointUuid: string; readonly status: string }
>({
  ...aboutOneEndpoint,
  action: 'endpoint.set-status',
  operation: 'update-endpoint',
  needsFreshSignIn: true,
  notice: ({ status }) => ({ kind: status === 'active' ? 'endpoint-activated' : 'endpoint-disabled' }),
  details: ({ status }) => ({ status }),
  status: ({ status }) => status,
  noLongerOff: ({ endpointUuid, status }) => (status === 'active' ? endpointUuid : null),
  async perform({ endpointUuid, status }, { changing }) {
    const present = await getWebhookEndpoint(serviceClient(), endpointUuid)
    changing({ before: { status: present.status }, after: { status } })
    const asked = performance.now()
    const changed = await updateWebhookEndpoint(serviceClient(), endpointUuid, { status })
    await recordEndpointChange(changed, asked)
    return { endpointUuid, status: changed?.status ?? status }
  },
})
