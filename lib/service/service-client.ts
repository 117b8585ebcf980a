import 'server-only'
import { type Env, env } from '#lib/platform/env.ts'
import { createServiceClient, type ServiceClient } from './client.ts'

const connected = new WeakMap<Env, ServiceClient>()

/** The service that this dashboard is configured for, with the merchant's API key. */
export function serviceClient(): ServiceClient {
  const settings = env()
  const known = connected.get(settings)
  if (known) return known
  const made = createServiceClient({
    baseUrl: settings.serviceBaseUrl,
    apiKey: apiKeyInForce,
    onKeyRefused: () => globalThis.rampartKeyRefused?.(),
  })
  connected.set(settings, made)
  return made
}

/** The one that was given here, else that of `SERVICE_API_KEY`. */
export const apiKeyInForce = (): string => globalThis.rampartApiKey ?? env().serviceApiKey

/** Calls from now on carry this key, in all of this process; null for that of `SERVICE_API_KEY`. */
export function setApiKey(apiKey: string | null): void {
  globalThis.rampartApiKey = apiKey ?? undefined
}

/** Has it called, from now on, whenever the service refuses the API key, in all of this process. */
export function whenKeyRefused(call: () => void): void {
  globalThis.rampartKeyRefused = call
}

declare global {
  var rampartApiKey: string | undefined
  var rampartKeyRefused: (() => void) | undefined
}
