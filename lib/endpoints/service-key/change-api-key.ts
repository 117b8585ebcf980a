import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import {
  type Caller,
  type CallSource,
  noCallSource,
  requireFreshSignIn,
  requirePermission,
} from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isSameService, serviceKey } from '#lib/platform/db/which-database.ts'
import { env } from '#lib/platform/env.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { keepSettingRow, readSettingRow, readSettings } from '#lib/platform/settings/settings.ts'
import { createServiceClient, type ServiceClient } from '#lib/service/client.ts'
import { ServiceError, serviceRefusal } from '#lib/service/errors.ts'
import { createShareToken, getUser } from '#lib/service/operations.ts'
import { apiKeyInForce, serviceClient, setApiKey } from '#lib/service/service-client.ts'
import { listWebhookEndpoints } from '#lib/service/webhook-endpoints.ts'
import { endGapsOfKey } from '../gaps/close-gap.ts'
import { recordTaken } from './service-state.ts'
import {
  ApiKeySchema,
  apiKeyChannel,
  fingerprint,
  noApiKey,
  readStoredApiKey,
  storeApiKey,
} from './stored-api-key.ts'

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
  if (env().serviceApiKey === noApiKey)
    throw new InvalidInput({
      apiKey: 'SERVICE_API_KEY is none, so no other key counts. Nothing was changed.',
    })
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

/** `by` says what showed that the new address knows this merchant; `nothing` where nothing here could be asked for. */
export type ServiceMove =
  | { readonly kind: 'moved'; readonly from: string; readonly by: 'endpoint' | 'person' | 'nothing' }
  | {
      readonly kind: 'refused'
      readonly why: 'not-bound' | 'sandbox' | 'same' | 'key-refused' | 'not-a-service' | 'another-account'
      /** The database belongs to this service; null before the first start. */
      readonly from: string | null
    }

interface WantedMove {
  readonly to: URL
  readonly apiKey: string
  readonly reason: string
}

/**
 * `moveService` binds the database to another base URL of the same service, once that has answered as the same merchant. All
 * admins are told. A move back undoes it. Throws `ServiceError` when the new address does not answer. Decision 0151.
 */
export async function moveService(pool: pg.Pool, { to, apiKey, reason }: WantedMove): Promise<ServiceMove> {
  const from = await readBound(pool)
  const refuse = (why: Extract<ServiceMove, { kind: 'refused' }>['why']) =>
    ({ kind: 'refused', why, from }) as const
  if (from === null) return refuse('not-bound')
  if (from === 'sandbox') return refuse('sandbox')
  if (isSameService(from, to.href)) return refuse('same')
  const proof = await proveSameAccount(pool, createServiceClient({ baseUrl: to, apiKey }))
  if (proof === 'key-refused' || proof === 'not-a-service' || proof === 'another-account')
    return refuse(proof)
  await inTransaction(pool, async (tx) => {
    await keepSettingRow(tx, serviceKey, to.href)
    const change = { before: { baseUrl: from }, after: { baseUrl: to.href } }
    const entry = { actor: commandLine, action: 'service.move', outcome: 'done', reason, change } as const
    await recordAudit(tx, { ...entry, details: { by: proof } }, noCallSource)
    const facts = { from, to: to.href }
    await tellAdmins(tx, { kind: 'service-moved', actor: { id: commandLine.id }, reason, facts })
  })
  return { kind: 'moved', from, by: proof }
}

/** The result is null before the first start. */
async function readBound(pool: pg.Pool): Promise<string | null> {
  const bound = await readSettingRow(pool, serviceKey)
  return typeof bound === 'string' ? bound : null
}

/** The uuids of endpoints and people are random, so another account or environment has none of ours. */
async function proveSameAccount(pool: pg.Pool, client: ServiceClient) {
  try {
    const listed = new Set((await listWebhookEndpoints(client)).map(({ uuid }) => uuid.toLowerCase()))
    const { rows: endpoints } = await pool.query<{ uuid: string }>(ENDPOINTS)
    if (endpoints.some(({ uuid }) => listed.has(uuid))) return 'endpoint'
    const { rows: people } = await pool.query<{ uuid: string }>(PEOPLE)
    for (const { uuid } of people) if (await knows(client, uuid)) return 'person'
    return endpoints.length > 0 || people.length > 0 ? 'another-account' : 'nothing'
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'unauthorized' || error.code === 'forbidden') return 'key-refused'
    if (error.code === 'not-found' || error.code === 'nonsense') return 'not-a-service'
    throw error
  }
}

async function knows(client: ServiceClient, userUuid: string): Promise<boolean> {
  try {
    await getUser(client, { userUuid })
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not-found') return false
    throw error
  }
}

const ENDPOINTS = 'SELECT DISTINCT endpoint_uuid::text AS uuid FROM endpoint_state'

/** A few people are asked for, because single ones may be gone at the service. */
const PEOPLE = 'SELECT user_uuid::text AS uuid FROM person ORDER BY user_uuid LIMIT 5'

export const ShareTokenSchema = z.object({
  userUuid: uuidField('This is not a user ID.'),
  reason: ReasonSchema,
})

/**
 * Another party takes over a user's verification with this token. It gives personal data to anybody who has it, so
 * it is shown once and not stored; its maker is stored. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function shareVerification(
  caller: Caller,
  { userUuid, reason }: z.output<typeof ShareTokenSchema>,
  source: CallSource,
): Promise<{ readonly token: string }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  if (!(await readSettings()).kycShareToken) throw new Refused('share-tokens-off')
  const entry = { actor: caller, action: 'user.share-verification', target: userUuid, reason } as const
  await recordAuditAlone({ ...entry, outcome: 'begun' }, source)
  try {
    const token = await createShareToken(serviceClient(), userUuid)
    await inTransaction(pool(), async (tx) => {
      await recordAudit(tx, { ...entry, outcome: 'done' }, source)
      await tx.query(KEEP, [userUuid, caller.id])
      const facts = { what: 'a token with which another party takes over one user’s verification' }
      await tellAdmins(tx, { kind: 'data-exported', actor: caller, reason, facts })
    })
    return { token }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const outcome = error.mayHaveTakenEffect ? 'unsure' : 'failed'
    await recordAuditAlone({ ...entry, outcome, details: { why: error.code } }, source)
    throw serviceRefusal(error, 'share-verification')
  }
}

/** The row is read on the day when the person leaves the team. */
const KEEP = 'INSERT INTO share_token (id, user_uuid, person) VALUES (gen_random_uuid(), $1, $2)'
