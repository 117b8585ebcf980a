import 'server-only'
import type pg from 'pg'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { whenKeyRefused } from '#lib/service/service-client.ts'
import { readServiceState } from './service-state.ts'

/** Where it is announced that the service refused the API key. */
export const refusedKeyChannel = 'refused_api_key'

/** From now on any call of this process that finds the API key refused wakes the watcher, unless that knows already. */
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
