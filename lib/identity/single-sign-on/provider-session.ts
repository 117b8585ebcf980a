import 'server-only'
import { buildEndSessionUrl } from 'openid-client'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { seal, unseal } from '#lib/platform/keys/seal.ts'
import { digestToken } from '../sessions/token.ts'
import { callbackUrl } from './begin-single-sign-on.ts'
import { findProvider, ProviderUnusable } from './provider.ts'

/**
 * Notes from which session at the provider this one came, so that signing out at either ends the other.
 * @param token the token of the session here
 * @param sid the provider's own name of its session, where it gives one
 */
export async function keepProviderSession(
  token: string,
  { idToken, sid }: { readonly idToken: string | undefined; readonly sid: string | undefined },
): Promise<void> {
  const digest = digestToken(token)
  const sealed = idToken === undefined ? null : seal(idToken, boundTo(digest))
  await pool().query(
    'UPDATE session SET sso_token = $2, sso_token_key_id = $3, sso_session = $4 WHERE token_digest = $1',
    [digest, sealed?.bytes, sealed?.keyId, sid],
  )
}

const boundTo = (digest: Uint8Array) => `identity token of ${Buffer.from(digest).toString('hex')}`

/**
 * Where the browser ends its session at the provider (OpenID Connect RP-Initiated Logout), once for a session that has
 * ended here. Null for one that came from elsewhere, and where the provider offers no such address or is down.
 */
export async function findProviderSignOut(token: string): Promise<string | null> {
  const digest = digestToken(token)
  const { rows } = await pool().query<{ bytes: Uint8Array<ArrayBuffer>; keyId: string }>(TAKE, [digest])
  if (!rows[0] || !env().singleSignOn) return null
  try {
    const { configuration } = await findProvider()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null
    const hint = unseal(rows[0], boundTo(digest))
    return buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: callbackUrl().href,
      ...(hint !== null && hint.length <= longestHint ? { id_token_hint: hint } : {}),
    }).href
  } catch (error) {
    // Already logged.
    if (error instanceof ProviderUnusable) return null
    throw error
  }
}

/** Servers refuse a longer address; without a hint the provider asks the person whether to sign out. */
const longestHint = 6_000

const TAKE = `
  UPDATE session SET sso_token = NULL, sso_token_key_id = NULL
  FROM (SELECT id, sso_token AS bytes, sso_token_key_id AS "keyId" FROM session WHERE token_digest = $1 FOR UPDATE) AS held
  WHERE session.id = held.id AND held.bytes IS NOT NULL
  RETURNING held.bytes, held."keyId"`
