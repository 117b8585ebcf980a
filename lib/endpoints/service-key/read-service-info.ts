import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { type ProxyFault, readProxyFault } from '#lib/platform/http/find-address.ts'
import { release, releaseInWords } from '#lib/platform/release.ts'
import { ServiceError, type ServiceOperation, serviceRefusal } from '#lib/service/errors.ts'
import { getMerchantConfiguration, listSupportedCountries } from '#lib/service/operations.ts'
import { apiKeyInForce, serviceClient } from '#lib/service/service-client.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { readServiceState, type ServiceState, unwatchedSince } from './service-state.ts'
import { fingerprint } from './stored-api-key.ts'

/** The service answered just now, or a message says why it did not. */
export type Answered<T> =
  | { readonly kind: 'answered'; readonly value: T; readonly ms: number }
  | { readonly kind: 'refused'; readonly title: string; readonly next: string }

/** The page shows how the service is reached, without a call to it. */
export interface ConnectionView {
  readonly baseUrl: string
  readonly publicUrl: string
  /** The version with its commit, where that is known. */
  readonly release: string
  /** The fingerprint only tells two API keys apart. */
  readonly keyFingerprint: string
  /** The key was given on the page or by the command, and not by `SERVICE_API_KEY`. */
  readonly keyGivenHere: boolean
  /** The watcher saw this state last; null until it has looked once. */
  readonly state: ServiceState | null
  /** The watcher has not looked since then, although it should each minute; null while it does. */
  readonly unwatchedSince: string | null
  readonly proxyFault: ProxyFault | null
  /** Staff sign in here by OpenID Connect; null when that is not set up. */
  readonly singleSignOn: {
    readonly name: string
    readonly issuer: string
    /** The claim gives the role; null when an admin gives members their roles. */
    readonly claim: string | null
  } | null
}

/** The connection is described without a call to the service. Throws `NotAllowed`. */
export async function readConnection(caller: Caller): Promise<ConnectionView> {
  requirePermission(caller, 'manage-settings')
  const { serviceBaseUrl, publicUrl, singleSignOn } = env()
  const state = await readServiceState()
  return {
    baseUrl: serviceBaseUrl.href,
    publicUrl: publicUrl.origin,
    release: releaseInWords(release()),
    keyFingerprint: fingerprint(apiKeyInForce()),
    keyGivenHere: globalThis.rampartApiKey !== undefined,
    state,
    unwatchedSince: unwatchedSince(state),
    proxyFault: readProxyFault(),
    singleSignOn: singleSignOn && {
      name: singleSignOn.name,
      issuer: singleSignOn.issuer.href,
      claim: singleSignOn.roleClaim?.claim ?? null,
    },
  }
}

/** The service lists the countries that it supports, for everybody or for companies only. Throws `NotAllowed`. */
export function readCountries(caller: Caller) {
  requirePermission(caller, 'manage-settings')
  return ask('list-supported-countries', () => listSupportedCountries(serviceClient()))
}

/** The service gives the merchant's configuration; it becomes JSON text. Throws `NotAllowed`. */
export function readConfiguration(caller: Caller): Promise<Answered<string>> {
  requirePermission(caller, 'manage-settings')
  return ask('read-merchant', async () =>
    JSON.stringify(await getMerchantConfiguration(serviceClient()), null, 2),
  )
}

async function ask<T>(operation: ServiceOperation, call: () => Promise<T>): Promise<Answered<T>> {
  const began = performance.now()
  try {
    const value = await call()
    return { kind: 'answered', value, ms: Math.round(performance.now() - began) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'refused', ...wordRefusal('en', serviceRefusal(error, operation)) }
  }
}
