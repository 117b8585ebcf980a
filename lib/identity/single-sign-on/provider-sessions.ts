import 'server-only'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { buildEndSessionUrl } from 'openid-client'
import { z } from 'zod'
import type { CallSource } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken, seal, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { consumeLimit, resetLimit } from '#lib/platform/limits/limits.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { endSessionsOf } from '../sessions/person-sessions.ts'
import { callbackUrl } from './begin-single-sign-on.ts'
import { findProvider, isDown, isUntrusted, ProviderUnusable, requireSingleSignOn } from './provider.ts'

/**
 * The session at the provider is recorded, so that signing out at either side ends the other. `token` is that
 * of the session here; `sid` is the provider's own name of its session, if it gives one.
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
 * The browser ends its session at the provider here (OpenID Connect RP-Initiated Logout), once for a session that has ended.
 * Null for a session of another origin, and when the provider offers no such address or is down.
 */
export async function findProviderSignOut(token: string): Promise<string | null> {
  const digest = digestToken(token)
  const { rows } = await pool().query<{ bytes: Uint8Array<ArrayBuffer>; keyId: string | null }>(TAKE, [
    digest,
  ])
  const [held] = rows
  if (!held || !env().singleSignOn) return null
  try {
    const { configuration } = await findProvider()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null
    const { bytes, keyId } = held
    const hint = keyId === null ? null : unseal({ bytes, keyId }, boundTo(digest))
    return buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: callbackUrl().href,
      ...(hint !== null && hint.length <= longestHint ? { id_token_hint: hint } : {}),
    }).href
  } catch (error) {
    // The error was logged already.
    if (error instanceof ProviderUnusable) return null
    throw error
  }
}

/** Servers refuse a longer address; without a hint the provider asks the person to confirm. */
const longestHint = 6_000

const TAKE = `
  UPDATE session SET sso_token = NULL, sso_token_key_id = NULL
  FROM (SELECT id, sso_token AS bytes, sso_token_key_id AS "keyId" FROM session WHERE token_digest = $1 FOR UPDATE) AS held
  WHERE session.id = held.id AND held.bytes IS NOT NULL
  RETURNING held.bytes, held."keyId"`

const log = logOf('single-sign-on')

type EndByProvider =
  | { readonly kind: 'ended'; readonly sessions: number }
  | { readonly kind: 'refused'; readonly why: string }

/**
 * The provider says that somebody's session there has ended (OpenID Connect Back-Channel Logout 1.0), so the sessions that
 * came from it end here, too. A session that began by a passkey or a link stays. `token` is the raw logout token.
 */
export async function endByProvider(token: string | null, source: CallSource): Promise<EndByProvider> {
  const refuse = (error: unknown, why: string): EndByProvider => {
    log.warn({ err: error }, 'A logout token of the provider of single sign-on was not taken')
    return { kind: 'refused', why }
  }
  if (token === null) return refuse(undefined, 'there is no logout_token')
  if ((await consumeLimit('sso-logout-per-ip', source.ip)) > 0) return refuse(undefined, 'too many of them')
  let claims: LogoutClaims
  try {
    claims = await verify(token)
  } catch (error) {
    if (!isOfToken(error)) throw error
    return refuse(error, 'the logout token is not valid')
  }
  const own = `${claims.iss} ${claims.jti}`
  if ((await consumeLimit('sso-logout-token', own)) > 0)
    return refuse(undefined, 'this logout token was used before')
  try {
    return { kind: 'ended', sessions: await endAll(claims, source) }
  } catch (error) {
    // The provider may send the token again.
    await resetLimit('sso-logout-token', own)
    throw error
  }
}

const event = 'http://schemas.openid.net/event/backchannel-logout'

const LogoutClaimsSchema = z
  .object({
    iss: z.string(),
    jti: z.string().min(1).max(255),
    sub: z.string().min(1).max(255).optional(),
    sid: z.string().min(1).max(255).optional(),
    events: z.object({ [event]: z.looseObject({}) }),
    // An identity token has a nonce, and is no logout token.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'neither sub nor sid')

type LogoutClaims = z.output<typeof LogoutClaimsSchema>

/** A client's secret is no key here, because its holder must not be able to end sessions. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`))

/** An older token is refused. `sso-logout-token` remembers tokens for twice as long. */
const maxTokenAge = '1 hour'

async function verify(token: string): Promise<LogoutClaims> {
  const { configuration } = await findProvider()
  const { issuer, jwks_uri } = configuration.serverMetadata()
  if (jwks_uri === undefined) throw new errors.JOSEError('the provider names no keys')
  const options = {
    issuer,
    audience: requireSingleSignOn().clientId,
    algorithms: [...algorithms, 'EdDSA', 'Ed25519'],
    clockTolerance: 30,
    maxTokenAge,
  }
  const { payload, protectedHeader } = await jwtVerify(token, keysAt(jwks_uri), options).catch(
    async (error) => {
      if (!(error instanceof errors.JWKSNoMatchingKey) || (await consumeLimit('sso-logout-keys', issuer)) > 0)
        throw error
      known.delete(jwks_uri)
      return jwtVerify(token, keysAt(jwks_uri), options)
    },
  )
  // Older providers give the general type, or none.
  TypeSchema.parse(protectedHeader.typ?.toLowerCase().replace(/^application\//, ''))
  return LogoutClaimsSchema.parse(payload)
}

const TypeSchema = z.enum(['logout+jwt', 'jwt']).optional()

const known = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

/** The provider's keys are read again after a minute, and when a key is unknown. */
function keysAt(address: string): ReturnType<typeof createRemoteJWKSet> {
  const keys = known.get(address) ?? createRemoteJWKSet(new URL(address), { cacheMaxAge: 60_000 })
  known.set(address, keys)
  return keys
}

const isOfToken = (error: unknown): boolean =>
  [errors.JOSEError, z.ZodError, Refused].some((kind) => error instanceof kind) ||
  isDown(error) ||
  isUntrusted(error)

/**
 * The sessions that came from the named session end, or all of this person when the provider gave no name. The
 * result is their number.
 */
function endAll({ iss, sub, sid }: LogoutClaims, source: CallSource): Promise<number> {
  return inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ id: string; memberId: string }>(FIND, [iss, sub, sid])
    let ended = 0
    for (const { id, memberId } of rows)
      ended += await endSessionsOf(
        tx,
        { userUuid: null, memberId },
        { actor: null, why: 'by-provider', only: id },
        source,
      )
    return ended
  })
}

const FIND = `
  SELECT session.id, member.id AS "memberId"
  FROM session JOIN member ON member.id = session.member_id
  WHERE session.ended_at IS NULL AND session.method = 'sso' AND member.sso_issuer = $1
    AND ($2::text IS NULL OR member.sso_subject = $2)
    AND ($3::text IS NULL OR session.sso_session = $3 OR $2::text IS NOT NULL AND session.sso_session IS NULL)`
