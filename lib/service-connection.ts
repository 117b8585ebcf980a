import 'server-only'
import { env } from '#lib/env.ts'
import { createServiceClient, type ServiceClient } from '#lib/service/client.ts'

let connected: ServiceClient | undefined

/** The service that this dashboard is configured for, with the merchant's API key. */
export function service(): ServiceClient {
  connected ??= createServiceClient({ baseUrl: env().serviceBaseUrl, apiKey: env().serviceApiKey })
  return connected
}
