import 'server-only'
import { createServiceClient, type ServiceClient } from '#lib/service/client.ts'
import { env } from './env.ts'

let connected: ServiceClient | undefined

/** The service that this dashboard is configured for, with the merchant's API key. */
export function serviceClient(): ServiceClient {
  connected ??= createServiceClient({ baseUrl: env().serviceBaseUrl, apiKey: env().serviceApiKey })
  return connected
}
