import 'server-only'
import type pg from 'pg'
import type { Listener } from '#lib/platform/db/listen.ts'
import { env } from '#lib/platform/env.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { setApiKey } from '#lib/service/service-client.ts'
import { apiKeyChannel, fingerprint, readStoredApiKey } from './stored-api-key.ts'

const log = logOf('service-key')

/** Uses the API key in force from now on, and each one that takes over, wherever it is given. */
export async function followApiKey(pool: pg.Pool, source: Listener): Promise<void> {
  let inForce: string | null = null
  const read = async () => {
    const stored = await readStoredApiKey(pool, env().serviceApiKey)
    setApiKey(stored)
    if (stored === inForce) return
    inForce = stored
    log.info({ fingerprint: fingerprint(stored ?? env().serviceApiKey) }, 'Another API key is in force')
  }
  const readAgain = () =>
    void read().catch(noting(log)('warn', 'The API key was not read; the one before stays'))
  source.subscribe(apiKeyChannel, readAgain)
  source.onListening(readAgain)
  await read()
}
