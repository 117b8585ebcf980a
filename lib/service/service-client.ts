import 'server-only'
import { z } from 'zod'
import { type Env, env } from '#lib/platform/env.ts'
import { createServiceClient, type ServiceClient } from './client.ts'
import { ServiceError, type ServiceErrorCode } from './errors.ts'

const connected = new WeakMap<Env, ServiceClient>()

/** The client uses the configured service and the merchant's API key. */
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

/** A key that was set here wins over `SERVICE_API_KEY`. */
export const apiKeyInForce = (): string => globalThis.rampartApiKey ?? env().serviceApiKey

/** All later calls of this process carry this key; null means the key of `SERVICE_API_KEY`. */
export function setApiKey(apiKey: string | null): void {
  globalThis.rampartApiKey = apiKey ?? undefined
}

/** `call` runs in this process whenever the service refuses the API key. */
export function whenKeyRefused(call: () => void): void {
  globalThis.rampartKeyRefused = call
}

declare global {
  var rampartApiKey: string | undefined
  var rampartKeyRefused: (() => void) | undefined
}

/**
 * A user-scoped call was answered 401 (§5.4, §7), and a call that needs only the API key finds out why: if it
 * is answered 401 too, the key is refused and the session is not to blame. It throws a ServiceError when that
 * call fails; then nothing is known and nothing should be dropped.
 */
export async function explainUnauthorized(service: ServiceClient): Promise<'key-refused' | 'session-ended'> {
  try {
    await service.request({ method: 'GET', path: '/supported/countries' }, z.unknown())
    return 'session-ended'
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'unauthorized') return 'key-refused'
    if (keyWasAccepted.has(error.code)) return 'session-ended'
    throw error
  }
}

/** ASSUMED: the service checks the key before anything else that it could refuse. */
const keyWasAccepted: ReadonlySet<ServiceErrorCode> = new Set([
  'invalid',
  'not-found',
  'conflict',
  'rejected',
])
