import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { env } from '#lib/platform/env.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient, whenKeyRefused } from '#lib/service/service-client.ts'
import { readServiceState } from './service-state.ts'

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
