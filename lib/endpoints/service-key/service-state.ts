import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { processBegan, readClock } from '#lib/platform/db/clock.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { type ProxyFault, readProxyFault } from '#lib/platform/http/find-address.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { release, releaseInWords } from '#lib/platform/release.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'
import { ServiceError, type ServiceOperation, serviceRefusal } from '#lib/service/errors.ts'
import { getMerchantConfiguration, listSupportedCountries } from '#lib/service/operations.ts'
import { apiKeyInForce, serviceClient, whenKeyRefused } from '#lib/service/service-client.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { fingerprint } from './stored-api-key.ts'

/** The last call of the service with the merchant's API key had this outcome. */
type ServiceOutcome = 'seen' | 'key-refused' | 'unanswered'

/** The watcher last saw whether the service answers and accepts the API key. Times are ISO 8601. */
export interface ServiceState {
  readonly look: ServiceOutcome
  /** The state has lasted since then. */
  readonly since: string
  readonly lookedAt: string
  /** The service last listed its endpoints at this time; null when it never did. */
  readonly seenAt: string | null
  /** It refused the API key when it last answered. */
  readonly keyRefused: boolean
}

/**
 * A check is overdue after this many milliseconds: one comes each minute, and another watcher takes over within 3.5
 * minutes.
 */
const overdueAfterMs = 4 * 60_000

/**
 * Nobody has looked at the service since this time (ISO 8601), so silence goes unnoticed and the state is old. Null
 * while checks come, and while this process, which started at `startedAt`, is too young to expect one. Both times are the
 * database's, in ms since 1970.
 */
export function unwatchedSince(
  state: ServiceState | null,
  now: number,
  startedAt = processBegan(now),
): string | null {
  const last = state ? Date.parse(state.lookedAt) : startedAt
  return now - Math.max(last, startedAt) > overdueAfterMs ? new Date(last).toISOString() : null
}

/** The watcher has not looked since `unwatchedSince` (ISO 8601), although it should each minute; null while it does. */
export interface Watch {
  /** The watcher saw this state last; null until it has looked once. */
  readonly state: ServiceState | null
  readonly unwatchedSince: string | null
}

/** `readWatch` says how the service stands, and whether anybody looks. */
export async function readWatch(): Promise<Watch> {
  const state = await readServiceState()
  return { state, unwatchedSince: unwatchedSince(state, await readClock(pool())) }
}

/** The state is null until the watcher has looked once. */
export async function readServiceState(
  database: Pick<pg.Pool, 'query'> = pool(),
): Promise<ServiceState | null> {
  return StateSchema.safeParse(await readSettingRow(database, rowKey)).data ?? null
}

/**
 * The outcome of a check is stored; while it stays the same, `since` stays too. `before` is the state until now;
 * `now` is in ms since 1970.
 */
export async function recordServiceOutcome(
  client: pg.ClientBase,
  look: ServiceOutcome,
  before: ServiceState | null,
  now: number,
): Promise<ServiceState> {
  const lookedAt = new Date(now).toISOString()
  const state: ServiceState = {
    look,
    since: before?.look === look ? before.since : lookedAt,
    lookedAt,
    seenAt: look === 'seen' ? lookedAt : (before?.seenAt ?? null),
    keyRefused: look === 'key-refused' || (look === 'unanswered' && (before?.keyRefused ?? false)),
  }
  await keepSettingRow(client, rowKey, state)
  return state
}

/** The service accepted another key than the one that it refused. The transaction is the one that stores the key. */
export async function recordTaken(tx: pg.ClientBase): Promise<void> {
  const before = StateSchema.safeParse(await readSettingRow(tx, rowKey)).data
  if (!before?.keyRefused) return
  const now = new Date(await readClock(tx)).toISOString()
  const state: ServiceState = { ...before, look: 'seen', since: now, lookedAt: now, keyRefused: false }
  await keepSettingRow(tx, rowKey, state)
}

const rowKey = 'service-state'

/** An older version stored no `keyRefused`. */
const StateSchema = z
  .object({
    look: z.enum(['seen', 'key-refused', 'unanswered']),
    since: z.iso.datetime(),
    lookedAt: z.iso.datetime(),
    seenAt: z.iso.datetime().nullable(),
    keyRefused: z.boolean().optional(),
  })
  .transform(({ keyRefused, ...state }) => ({
    ...state,
    keyRefused: keyRefused ?? state.look === 'key-refused',
  }))

/**
 * The line says what is wrong with the service or the API key in force; null when the service answers and accepts
 * the key.
 */
export async function serviceFault(): Promise<string | null> {
  const { href } = env().serviceBaseUrl
  try {
    await serviceClient().request({ method: 'GET', path: '/supported/countries' }, z.unknown())
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'unauthorized')
      return `SERVICE_API_KEY: the service at ${href} refuses this key. Give another on the page Settings, or by "npm run rampart service-key". Deliveries are taken meanwhile.`
    if (error.code === 'not-found')
      return `SERVICE_BASE_URL: ${href} is not the address of the service: it knows no /supported/countries. Correct SERVICE_BASE_URL.`
    const authority = /SELF_SIGNED|LEAF_SIGNATURE|ISSUER_CERT/.test(error.message)
      ? ' Its certificate is of an authority that is not known here; name the file with that of the authority: NODE_EXTRA_CA_CERTS=/etc/ssl/ca.pem.'
      : ''
    return `SERVICE_BASE_URL: the service at ${href} does not answer as it should (${error.message}).${authority} Rampart goes on asking; deliveries are taken meanwhile.`
  }
}

/** A refused API key is announced on this channel. */
export const refusedKeyChannel = 'refused_api_key'

/**
 * From now on, a call of this process that finds the API key refused wakes the watcher, unless the watcher already
 * knows.
 */
export function announceRefusedKey(pool: pg.Pool): void {
  const announce = async () => {
    const state = await readServiceState(pool)
    if (state?.look !== 'key-refused') await pool.query('SELECT pg_notify($1, $2)', [refusedKeyChannel, ''])
  }
  const note = noting(logOf('service-key'))
  whenKeyRefused(
    () =>
      void announce().catch(
        note('warn', 'A refused API key was not announced; the watcher looks within a minute'),
      ),
  )
}

/** The service answered just now, or a message says why it did not. */
export type Answered<T> =
  | { readonly kind: 'answered'; readonly value: T; readonly ms: number }
  | { readonly kind: 'refused'; readonly title: string; readonly next: string }

/** The page shows how the service is reached, without a call to it. */
export interface ConnectionView extends Watch {
  readonly baseUrl: string
  readonly publicUrl: string
  /** The version with its commit, where that is known. */
  readonly release: string
  /** The fingerprint only tells two API keys apart. */
  readonly keyFingerprint: string
  /** The key was given on the page or by the command, and not by `SERVICE_API_KEY`. */
  readonly keyGivenHere: boolean
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
  return {
    ...(await readWatch()),
    baseUrl: serviceBaseUrl.href,
    publicUrl: publicUrl.origin,
    release: releaseInWords(release()),
    keyFingerprint: fingerprint(apiKeyInForce()),
    keyGivenHere: globalThis.rampartApiKey !== undefined,
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
