import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'
import { listOf, optionalTextSchema, uuidSchema } from './errors.ts'

/** The service holds a webhook endpoint in this form (§2.3). Only creating and rotating return its secret. */
export interface WebhookEndpoint {
  readonly uuid: string
  readonly url: string
  readonly description: string | null
  /** The status is `active`, `disabled`, `auto_disabled`, or a value that the service has added since. */
  readonly status: string
  /** Null when the response names none: the endpoint receives every event type. */
  readonly subscribedEvents: readonly string[] | null
}

export interface NewWebhookEndpoint {
  /** The URL must be HTTPS (§8). */
  readonly url: string
  /** The description has at most 255 characters and cannot be changed later (§4.2). */
  readonly description: string
  /** The values are those of §2.3; every event type when left out. */
  readonly subscribedEvents?: readonly string[] | undefined
}

export interface WebhookEndpointChange {
  readonly url?: string | undefined
  readonly status?: 'active' | 'disabled' | undefined
  readonly subscribedEvents?: readonly string[] | undefined
}

/** This creates an endpoint and returns its secret, which no later call shows. `invalid`: an event type is refused (§7). */
export function createWebhookEndpoint(
  service: ServiceClient,
  { url, description, subscribedEvents }: NewWebhookEndpoint,
): Promise<WebhookEndpoint & { readonly signingSecret: string }> {
  const body = { url, description, subscribed_events: subscribedEvents }
  return service.request({ method: 'POST', path: collection, body }, WireCreatedSchema)
}

/** The list holds every endpoint of the merchant, or those with one status (§4.2). */
export function listWebhookEndpoints(
  service: ServiceClient,
  { status }: { readonly status?: 'active' | 'disabled' | 'auto_disabled' | undefined } = {},
): Promise<WebhookEndpoint[]> {
  return service.request({ method: 'GET', path: collection, query: { status } }, listOf(WireEndpointSchema))
}

/** `not-found`: no endpoint has this id (§4.2). */
export function getWebhookEndpoint(service: ServiceClient, id: string): Promise<WebhookEndpoint> {
  return service.request({ method: 'GET', path: one, id }, WireEndpointSchema)
}

/** Only the given fields are changed (§4.2). Null when the change was made but the response does not show the endpoint. */
export function updateWebhookEndpoint(
  service: ServiceClient,
  id: string,
  { url, status, subscribedEvents }: WebhookEndpointChange,
): Promise<WebhookEndpoint | null> {
  const body = { url, status, subscribed_events: subscribedEvents }
  return service.request({ method: 'PATCH', path: one, id, body }, WireEndpointSchema.nullable().catch(null))
}

/** The secret is replaced; the previous one stops being valid (§4.2). If the response is lost, so is the new secret. */
export function rotateWebhookSecret(
  service: ServiceClient,
  id: string,
): Promise<{ readonly signingSecret: string }> {
  return service.request({ method: 'PATCH', path: `${one}/secret`, id }, WireSecretSchema)
}

/**
 * The deleted endpoint receives nothing more (§3.1). The call is retried once if necessary: an endpoint that is
 * already gone counts as deleted.
 */
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
