import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { isSameService, serviceKey } from '#lib/platform/db/which-database.ts'
import { keepSettingRow, readSettingRow } from '#lib/platform/settings/settings.ts'
import { createServiceClient, type ServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser } from '#lib/service/operations.ts'
import { listWebhookEndpoints } from '#lib/service/webhook-endpoints.ts'

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
