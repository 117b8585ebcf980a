import 'server-only'
import {
  type CompactVerifyResult,
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
} from 'jose'
import { buildEndSessionUrl } from 'openid-client'
import { z } from 'zod'
import type { CallSource } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { digestToken, unseal } from '#lib/platform/keys/digests-and-seals.ts'
import { consumeLimit, resetLimit } from '#lib/platform/limits/limits.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { endSessionsOf } from '../sessions/person-sessions.ts'
import { identityTokenOf } from '../sessions/read-session.ts'
import { callbackUrl } from './begin-single-sign-on.ts'
import { clockTolerance, providersTextSchema } from './claims.ts'
import {
  fetchKeys,
  findProvider,
  isDown,
  isUntrusted,
  noteClockDifference,
  ProviderUnusable,
  requireSingleSignOn,
} from './provider.ts'

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
    const hint = keyId === null ? null : unseal({ bytes, keyId }, identityTokenOf(digest))
    const back = { post_logout_redirect_uri: callbackUrl().href }
    const named = hint === null ? null : buildEndSessionUrl(configuration, { ...back, id_token_hint: hint })
    if (named !== null && named.href.length <= longestAddress) return named.href
    return buildEndSessionUrl(configuration, back).href
  } catch (error) {
    // The error was logged already.
    if (error instanceof ProviderUnusable) return null
    throw error
  }
}

/**
 * Servers refuse a longer address, Keycloak a request line of more than 4,096 bytes. Without a hint the provider asks the
 * person to confirm.
 */
const longestAddress = 3_900

const TAKE = `
  UPDATE session SET sso_token = NULL, sso_token_key_id = NULL
  FROM (SELECT id, sso_token AS bytes, sso_token_key_id AS "keyId" FROM session WHERE token_digest = $1 FOR UPDATE) AS held
  WHERE session.id = held.id AND held.bytes IS NOT NULL
  RETURNING held.bytes, held."keyId"`

const limited = limitedLog(logOf('single-sign-on'))

type EndByProvider =
  | { readonly kind: 'ended'; readonly sessions: number }
  | { readonly kind: 'refused'; readonly why: string }

/**
 * The provider says that somebody's session there has ended (OpenID Connect Back-Channel Logout 1.0), so the sessions that
 * came from it end here, too, and those that replaced them. A session that began by a passkey or a link stays. `token` is
 * the raw logout token.
 */
export async function endByProvider(token: string | null, source: CallSource): Promise<EndByProvider> {
  if (!env().singleSignOn) return { kind: 'refused', why: 'single sign-on is not set up' }
  // Strangers may post here, as often as they like.
  const refuse = (why: string, error?: unknown): EndByProvider => {
    const cause = error === undefined ? why : causeOf(error)
    const fields = error === undefined ? {} : { err: error }
    limited.warn(cause, fields, 'A logout token of the provider of single sign-on was not taken')
    return { kind: 'refused', why }
  }
  if (token === null) return refuse('there is no logout_token')
  if ((await consumeLimit('sso-logout-per-ip', source.ip)) > 0) return refuse('too many of them')
  let claims: LogoutClaims
  try {
    claims = await verify(token)
  } catch (error) {
    if (!isOfToken(error)) throw error
    return refuse('the logout token is not valid', error)
  }
  const own = `${claims.iss} ${claims.jti}`
  if ((await consumeLimit('sso-logout-token', own)) > 0) return refuse('this logout token was used before')
  const difference = Math.round(claims.iat - Date.now() / 1000)
  if (Math.abs(difference) > clockTolerance) noteClockDifference(difference)
  try {
    return { kind: 'ended', sessions: await endAll(claims, source) }
  } catch (error) {
    // The provider may send the token again.
    await resetLimit('sso-logout-token', own)
    throw error
  }
}

const event = 'http://schemas.openid.net/event/backchannel-logout'

/** Providers write null or an empty text for a claim that they leave out. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given) => (given === null || given === '' ? undefined : given), schema.optional())

/** Tokens expire after two minutes or so, also by a clock that differs by this many seconds. */
const timesTolerance = 30 * 60

const LogoutClaimsSchema = z
  .object({
    iss: z.string(),
    aud: z.union([z.string().transform((one) => [one]), z.array(z.unknown())]),
    jti: z.string().min(1).max(255),
    iat: z.number().refine(isNear, 'it was not made within this hour'),
    exp: optional(
      z.number().refine((seconds) => seconds > Date.now() / 1000 - timesTolerance, 'it has expired'),
    ),
    nbf: optional(
      z.number().refine((seconds) => seconds < Date.now() / 1000 + timesTolerance, 'it is too early'),
    ),
    sub: optional(providersTextSchema),
    sid: optional(providersTextSchema),
    events: z.object({ [event]: z.looseObject({}).nullable() }),
    // An identity token has a nonce, and is no logout token.
    nonce: optional(z.undefined()),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'neither sub nor sid')
  .refine(({ iat, exp = iat }) => exp >= iat, 'it expired before it was made')

type LogoutClaims = z.output<typeof LogoutClaimsSchema>

/** A client's secret is no key here, because its holder must not be able to end sessions. */
const algorithms = [
  ...['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`)),
  'EdDSA',
  'Ed25519',
]

/**
 * The provider's clock may differ from ours, as at a sign-in. A token counts for this many seconds before and after it was
 * made, and `sso-logout-token` remembers it for longer than both together, so that it ends sessions once.
 */
const longestDifference = 3_300

function isNear(seconds: number): boolean {
  return Math.abs(Date.now() / 1000 - seconds) < longestDifference
}

async function verify(token: string): Promise<LogoutClaims> {
  const { configuration } = await findProvider()
  const { issuer, jwks_uri } = configuration.serverMetadata()
  if (jwks_uri === undefined) throw new errors.JOSEError('the provider names no keys')
  const { payload, protectedHeader } = await verifyByKeys(token, jwks_uri).catch(async (error) => {
    if (!isOfUnknownKey(error, token) || (await consumeLimit('sso-logout-keys', issuer)) > 0) throw error
    known.delete(jwks_uri)
    return verifyByKeys(token, jwks_uri)
  })
  // Older providers give the general type, or none.
  TypeSchema.parse(protectedHeader.typ)
  const claims = LogoutClaimsSchema.parse(readJson(payload))
  if (claims.iss !== issuer) throw new errors.JWTInvalid('it is of another issuer')
  if (!claims.aud.includes(requireSingleSignOn().clientId))
    throw new errors.JWTInvalid('it is for another client')
  return claims
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new errors.JWTInvalid('it holds no JSON', { cause })
  }
}

/** A token that names no key may be signed by any that the provider publishes. */
async function verifyByKeys(token: string, address: string): Promise<CompactVerifyResult> {
  try {
    return await compactVerify(token, keysAt(address), { algorithms })
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      const verified = await compactVerify(token, key, { algorithms }).catch(notByThisKey)
      if (verified) return verified
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

function notByThisKey(error: unknown): null {
  if (error instanceof errors.JWSSignatureVerificationFailed) return null
  throw error
}

/** The provider may have a key since the last reading that signed the token. */
const isOfUnknownKey = (error: unknown, token: string): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  (error instanceof errors.JWSSignatureVerificationFailed && decodeProtectedHeader(token).kid === undefined)

const TypeSchema = optional(z.string().regex(/^(application\/)?(logout\+)?jwt$/i))

const known = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

/** The provider's keys are read again after a minute, and when a key is unknown. */
function keysAt(address: string): ReturnType<typeof createRemoteJWKSet> {
  const keys =
    known.get(address) ??
    createRemoteJWKSet(new URL(address), { cacheMaxAge: 60_000, [customFetch]: fetchKeys })
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
  WHERE session.ended_at IS NULL AND member.sso_issuer = $1
    AND (session.method = 'sso' OR session.sso_token IS NOT NULL OR session.sso_session IS NOT NULL)
    AND ($2::text IS NULL OR member.sso_subject = $2)
    AND ($3::text IS NULL OR session.sso_session = $3 OR $2::text IS NOT NULL AND session.sso_session IS NULL)`
