import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { createServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { apiKeyInForce, setApiKey } from '#lib/service/service-client.ts'
import { listWebhookEndpoints } from '#lib/service/webhook-endpoints.ts'
import { endGapsOfKey } from '../gaps/close-gap.ts'
import { recordTaken } from './service-state.ts'
import { ApiKeySchema, apiKeyChannel, fingerprint, readStoredApiKey, storeApiKey } from './stored-api-key.ts'

export const ChangeApiKeySchema = z.object({
  apiKey: ApiKeySchema,
  reason: ReasonSchema,
})

/**
 * Every process uses the new API key from now on, once the service has accepted it. Throws `NotAllowed`,
 * `SignInAgain`, `InvalidInput` and `Refused`.
 */
export async function changeApiKey(
  caller: Caller,
  { apiKey, reason }: z.output<typeof ChangeApiKeySchema>,
  source: CallSource,
): Promise<{ readonly fingerprint: string }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  await requireTaken(apiKey)
  const before = fingerprint(apiKeyInForce())
  await inTransaction(pool(), async (tx) => {
    await recordTaken(tx)
    await endGapsOfKey(tx)
    await storeApiKey(tx, { apiKey, configured: env().serviceApiKey, givenBy: caller.id })
    const change = { before: { fingerprint: before }, after: { fingerprint: fingerprint(apiKey) } }
    await recordAudit(
      tx,
      { actor: caller, action: 'service.key-change', outcome: 'done', reason, change },
      source,
    )
    await tellAdmins(tx, { kind: 'key-changed', actor: caller, reason })
  })
  // This process need not wait for the notification.
  setApiKey(apiKey)
  return { fingerprint: fingerprint(apiKey) }
}

async function requireTaken(apiKey: string) {
  const client = createServiceClient({ baseUrl: env().serviceBaseUrl, apiKey })
  try {
    await listWebhookEndpoints(client)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'unauthorized')
      throw new InvalidInput({ apiKey: 'The provider refuses this key. Nothing was changed.' })
    throw new Refused('key-not-tried')
  }
}

const log = logOf('service-key')

/** The process uses the API key in force, and each later one, wherever it is given. */
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
