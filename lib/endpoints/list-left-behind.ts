import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type EndpointView, listEndpoints } from './endpoints.ts'
import { findKeyGiver } from './service-key/stored-api-key.ts'

/** Somebody made this endpoint, or saw its secret, which was not replaced since. Times are ISO 8601. */
export interface LeftBehindView {
  readonly endpointUuid: string
  readonly madeAt: string | null
  readonly sawSecretAt: string | null
  /** The endpoint is null when the service does not know it any more, or does not answer. */
  readonly endpoint: EndpointView | null
}

/** Another party takes over a user's verification with a share token. Nobody knows when it ends. */
export interface ShareTokenView {
  readonly id: string
  readonly userUuid: string
  readonly madeAt: string
}

export interface LeftBehind {
  readonly endpoints: readonly LeftBehindView[]
  /** The service did not answer, so names are missing. */
  readonly serviceUnavailable: boolean
  /** They typed in the API key in force at this time, as ISO 8601; null when they did not. */
  readonly apiKeyGivenAt: string | null
  /** Share tokens come newest first. */
  readonly shareTokens: readonly ShareTokenView[]
}

/** A member who leaves the team leaves these behind; secrets that they know come first. Throws `NotAllowed`. */
export async function listLeftBehind(caller: Caller, memberId: string): Promise<LeftBehind> {
  requirePermission(caller, 'manage-team')
  const { rows } = await pool().query<LeftRow>(LEFT, [memberId])
  const others = {
    apiKeyGivenAt: await findApiKeyGivenAt(memberId),
    shareTokens: await listShareTokens(memberId),
  }
  if (rows.length === 0) return { endpoints: [], serviceUnavailable: false, ...others }
  const present = await listEndpoints(caller).catch(unavailable)
  const endpoints = rows.map(({ endpoint_uuid, made_at, saw_secret_at }) => ({
    endpointUuid: endpoint_uuid,
    madeAt: made_at?.toISOString() ?? null,
    sawSecretAt: saw_secret_at?.toISOString() ?? null,
    endpoint: present?.find(({ uuid }) => uuid.toLowerCase() === endpoint_uuid) ?? null,
  }))
  // An endpoint that the service does not list is gone: nobody can send anything to it.
  const known = present === null ? endpoints : endpoints.filter(({ endpoint }) => endpoint !== null)
  return { endpoints: known, serviceUnavailable: present === null, ...others }
}

async function findApiKeyGivenAt(memberId: string): Promise<string | null> {
  const giver = await findKeyGiver(pool(), env().serviceApiKey)
  if (!giver) return null
  const { rowCount } = await pool().query(IS_MEMBER, [memberId, giver.id])
  return rowCount ? giver.at : null
}

async function listShareTokens(memberId: string): Promise<ShareTokenView[]> {
  const { rows } = await pool().query<{ id: string; user_uuid: string; at: Date }>(SHARE_TOKENS, [memberId])
  return rows.map(({ id, user_uuid, at }) => ({ id, userUuid: user_uuid, madeAt: at.toISOString() }))
}

function unavailable(error: unknown): null {
  if (error instanceof Refused) return null
  throw error
}

const IS_MEMBER = 'SELECT FROM member WHERE id = $1 AND $2 IN (id::text, user_uuid::text)'

const SHARE_TOKENS = `
  SELECT st.id, st.user_uuid, st.at
  FROM share_token st JOIN member m ON st.person IN (m.id::text, m.user_uuid::text)
  WHERE m.id = $1
  ORDER BY st.at DESC, st.id DESC`

interface LeftRow {
  readonly endpoint_uuid: string
  readonly made_at: Date | null
  readonly saw_secret_at: Date | null
}

const LEFT = `
  SELECT ep.endpoint_uuid, max(at) FILTER (WHERE what = 'made') AS made_at,
         max(at) FILTER (WHERE what = 'saw-secret') AS saw_secret_at
  FROM endpoint_person ep JOIN member m ON ep.person IN (m.id::text, m.user_uuid::text)
  WHERE m.id = $1 AND ep.ended_at IS NULL
  GROUP BY ep.endpoint_uuid
  ORDER BY saw_secret_at DESC NULLS LAST, made_at DESC`
