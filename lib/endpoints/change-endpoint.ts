import 'server-only'
import { z } from 'zod'
import { closeReceiver, findOpenReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import { seenOfEndpoint } from '#lib/deliveries/rules/endpoint-states.ts'
import { type EventType, eventTypes, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { placeOfUrl, receiverIdOf, receiverInPath } from '#lib/platform/addresses/public-address.ts'
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
import { recordEndpointChange } from './endpoint-states.ts'
import { pointEndpointHere } from './repair-endpoint.ts'
import { beginHandoff } from './secret-handoff-store.ts'

const shared = {
  endpointUuid: EndpointUuidSchema,
  subscribedEvents: SubscribedEventsSchema,
  /** `seen` names the version that the page showed (`seenOfEndpoint`); undefined when the page showed none. */
  seen: z.string().optional(),
  reason: ReasonSchema,
}

/** The service cannot change a description (§4.2). */
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
  /** The endpoint was pointed away from this dashboard: its new place needs a secret, which only a rotation shows. */
  readonly secretUnknown: boolean
}

/**
 * This changes the url and the subscribed events. A url here makes a receiver and rotates the secret; a url
 * elsewhere closes the receiver, also one at an earlier public address. Throws `NotAllowed`, `SignInAgain`,
 * `InvalidInput`, and `Refused`, also when the endpoint changed since the form showed it.
 */
export const changeEndpoint = endpointCommand<Form, EndpointChangeResult>({
  ...aboutOneEndpoint,
  action: 'endpoint.change',
  operation: 'update-endpoint',
  needsFreshSignIn: true,
  notice: (form) => ({ kind: 'endpoint-changed', facts: { to: placeOf(form) } }),
  involves: ({ endpointUuid }, { to }) => ({ endpointUuid, newSecret: to === 'here' }),
  // An endpoint that was pointed elsewhere is no longer one of this dashboard.
  noLongerOff: ({ endpointUuid, secretUnknown }) => (secretUnknown ? endpointUuid : null),
  details: (form) => ({
    to: form.to === 'elsewhere' ? placeOfUrl(form.url) : form.to,
    subscribedEvents: form.subscribedEvents,
  }),
  perform: apply,
})

/** The notice names the place that the endpoint delivers to. */
const placeOf = (form: Form) =>
  form.to === 'elsewhere' ? placeOfUrl(form.url) : form.to === 'here' ? 'this dashboard' : 'the same address'

async function apply(form: Form, running: RunningCommand): Promise<EndpointChangeResult> {
  const { endpointUuid } = form
  const present = await getWebhookEndpoint(serviceClient(), endpointUuid)
  if (form.seen !== undefined && form.seen !== seenOfEndpoint(present)) throw new Refused('changed-meanwhile')
  const here = receiverIdOf(present.url)
  const subscribedEvents = changedEvents(form.subscribedEvents, present)
  running.changing(changeOf(present, form, subscribedEvents))
  if (form.to === 'here' && here === null) {
    await pointEndpointHere(endpointUuid, running, subscribedEvents)
    return { endpointUuid, secretUnknown: false }
  }
  const url = form.to === 'elsewhere' && form.url !== present.url ? form.url : undefined
  if (url === undefined && subscribedEvents === undefined) throw new Refused('nothing-to-change')
  const left = url === undefined ? null : (here ?? (await findOpenReceiver(receiverInPath(present.url)))?.id)
  if (!left) {
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
  await closeReceiver(left, endpointUuid)
  return { endpointUuid, secretUnknown: true }
}

const placeWanted = (form: Form, present: WebhookEndpoint) =>
  form.to === 'here' ? 'this dashboard' : placeOfUrl(form.to === 'elsewhere' ? form.url : present.url)

/** The change names the place and the event types before and after it; whatever stays the same is left out. */
function changeOf(
  present: WebhookEndpoint,
  form: Form,
  subscribedEvents: readonly string[] | undefined,
): CommandChange {
  const from = placeOfUrl(present.url)
  const place = placeWanted(form, present)
  // Two paths of one host have the same place in words, so the urls are compared too.
  const moves = place !== from || (form.to === 'elsewhere' && form.url !== present.url)
  return {
    before: {
      ...(moves ? { deliversTo: from } : {}),
      ...(subscribedEvents ? { subscribedEvents: present.subscribedEvents ?? 'every type' } : {}),
    },
    after: { ...(moves ? { deliversTo: place } : {}), ...(subscribedEvents ? { subscribedEvents } : {}) },
  }
}

/**
 * The event types are undefined when they stay the same. Types that the service added later stay, since no form can name
 * them. ASSUMED: no request can restore "every type, also future ones".
 */
export function changedEvents(
  wanted: readonly EventType[] | null,
  { subscribedEvents }: Pick<WebhookEndpoint, 'subscribedEvents'>,
): readonly string[] | undefined {
  if (wanted === null && subscribedEvents === null) return undefined
  const present: readonly string[] = subscribedEvents ?? eventTypes
  const asked = [...(wanted ?? []), ...present.filter((type) => !isEventType(type))]
  if (asked.length === 0) {
    throw new InvalidInput({
      subscribedEvents: 'Choose at least one event; to stop all, disable the endpoint.',
    })
  }
  const same = asked.length === present.length && asked.every((type) => present.includes(type))
  return same ? undefined : asked
}

export const SetStatusSchema = z.object({
  endpointUuid: EndpointUuidSchema,
  status: z.enum(['active', 'disabled'], 'An endpoint can be made active or disabled.'),
  reason: ReasonSchema,
})

/** This disables an endpoint, or makes it active again (§3.1). Throws `NotAllowed`, `SignInAgain` and `Refused`. */
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
