import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'
import { listOf, optionalTextSchema, uuidSchema } from './wire.ts'

/** A webhook endpoint as the service holds it (§2.3). Its secret is in no answer but create's and rotate's. */
export interface WebhookEndpoint {
  readonly uuid: string
  readonly url: string
  readonly description: string | null
  /** `active`, `disabled`, `auto_disabled`, or a state that the service has added since. */
  readonly status: string
  /** Null when the answer names none: the endpoint receives every event type. */
  readonly subscribedEvents: readonly string[] | null
}

export interface NewWebhookEndpoint {
  /** HTTPS (§8). */
  readonly url: string
  /** At most 255 characters; cannot be changed later (§4.2). */
  readonly description: string
  /** Values of §2.3; every event type when left out. */
  readonly subscribedEvents?: readonly string[] | undefined
}

export interface WebhookEndpointChange {
  readonly url?: string | undefined
  readonly status?: 'active' | 'disabled' | undefined
  readonly subscribedEvents?: readonly string[] | undefined
}

/** Creates an endpoint and answers its secret, which no later call shows. `invalid`: an event type is refused (§7). */
export function createWebhookEndpoint(
  service: ServiceClient,
  { url, description, subscribedEvents }: NewWebhookEndpoint,
): Promise<WebhookEndpoint & { readonly signingSecret: string }> {
  const body = { url, description, subscribed_events: subscribedEvents }
  return service.request({ method: 'POST', path: collection, body }, WireCreatedSchema)
}

/** Every endpoint of the merchant, or those in one state (§4.2). */
export function listWebhookEndpoints(
  service: ServiceClient,
  { status }: { readonly status?: 'active' | 'disabled' | 'auto_disabled' | undefined } = {},
): Promise<WebhookEndpoint[]> {
  return service.request({ method: 'GET', path: collection, query: { status } }, listOf(WireEndpointSchema))
}

/** One endpoint (§4.2). `not-found`: none has this id. */
export function getWebhookEndpoint(service: ServiceClient, id: string): Promise<WebhookEndpoint> {
  return service.request({ method: 'GET', path: one, id }, WireEndpointSchema)
}

/** Changes what is given (§4.2). Null when it was changed but the answer does not show how it is now. */
export function updateWebhookEndpoint(
  service: ServiceClient,
  id: string,
  { url, status, subscribedEvents }: WebhookEndpointChange,
): Promise<WebhookEndpoint | null> {
  const body = { url, status, subscribed_events: subscribedEvents }
  return service.request({ method: 'PATCH', path: one, id, body }, WireEndpointSchema.nullable().catch(null))
}

/** Replaces the secret; the previous one stops being valid (§4.2). If the answer is lost, so is the new secret. */
export function rotateWebhookSecret(
  service: ServiceClient,
  id: string,
): Promise<{ readonly signingSecret: string }> {
  return service.request({ method: 'PATCH', path: `${one}/secret`, id }, WireSecretSchema)
}

/** Removes the endpoint; it receives nothing more (§3.1). Repeated once if need be: already gone counts as done. */
export function deleteWebhookEndpoint(service: ServiceClient, id: string): Promise<void> {
  return service.send({ method: 'DELETE', path: one, id })
}

const collection = '/merchant/webhook-endpoints'
const one = `${collection}/{id}` as const

const endpointFields = {
  uuid: uuidSchema,
  url: z.string(),
  description: optionalTextSchema,
  status: z.string(),
  subscribed_events: z.array(z.string()).nullish().catch(null),
}

const WireEndpointSchema = z.object(endpointFields).transform(toEndpoint)

const WireCreatedSchema = z
  .object({ ...endpointFields, signing_secret: z.string().min(1) })
  .transform((wire) => ({ ...toEndpoint(wire), signingSecret: wire.signing_secret }))

const WireSecretSchema = z
  .object({ signing_secret: z.string().min(1) })
  .transform((wire) => ({ signingSecret: wire.signing_secret }))

function toEndpoint(wire: z.infer<z.ZodObject<typeof endpointFields>>): WebhookEndpoint {
  return {
    uuid: wire.uuid,
    url: wire.url,
    description: wire.description,
    status: wire.status,
    subscribedEvents: wire.subscribed_events ?? null,
  }
}
