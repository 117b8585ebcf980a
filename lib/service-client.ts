import 'server-only'
import { createServiceClient, type ServiceClient } from '#lib/service/client.ts'
import { env } from './env.ts'

let connected: ServiceClient | undefined

/** The service that this dashboard is configured for, with the merchant's API key. */
export function serviceClient(): ServiceClient {
  connected ??= createServiceClient({
    baseUrl: env().serviceBaseUrl,
    apiKey: apiKeyInForce,
  })
  return connected
}

/** The one that was given here, else that of `SERVICE_API_KEY`. */
export const apiKeyInForce = (): string => globalThis.rampartApiKey ?? env().serviceApiKey

/** Calls from now on carry this key, in all of this process; null for that of `SERVICE_API_KEY`. */
export function setApiKey(apiKey: string | null): void {
  globalThis.rampartApiKey = apiKey ?? undefined
}

declare global {
  var rampartApiKey: string | undefined
}
