import 'server-only'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import type { CallSource } from '#lib/access/request-context.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit, resetLimit } from '#lib/platform/limits/limits.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { endSessionsOf } from '../sessions/end-sessions.ts'
import { findProvider, isDown, isUntrusted, requireSingleSignOn } from './provider.ts'

const log = logOf('single-sign-on')

export type EndByProvider =
  | { readonly kind: 'ended'; readonly sessions: number }
  | { readonly kind: 'refused'; readonly why: string }

/**
 * The provider says that somebody's session there has ended (OpenID Connect Back-Channel Logout 1.0): whatever came from it
 * here ends, too. A session that began by a passkey or a link stays.
 * @param token the logout token, as it came
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
    // The provider may send it again.
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
    // An identity token has one, and is no logout token.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'neither sub nor sid')

type LogoutClaims = z.output<typeof LogoutClaimsSchema>

/** A client's secret is no key here: who knows it must not end sessions. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`))

/** No older token is taken. `sso-logout-token` remembers them for twice as long. */
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

/** The provider's keys, which are read again after a minute, and for one that is unknown. */
function keysAt(address: string): ReturnType<typeof createRemoteJWKSet> {
  const keys = known.get(address) ?? createRemoteJWKSet(new URL(address), { cacheMaxAge: 60_000 })
  known.set(address, keys)
  return keys
}

const isOfToken = (error: unknown): boolean =>
  [errors.JOSEError, z.ZodError, Refused].some((kind) => error instanceof kind) ||
  isDown(error) ||
  isUntrusted(error)

/** Ends what came from the session of this name, or all of this person where the provider gave none. Answers how many. */
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
  SELECT session.id, session.member_id AS "memberId"
  FROM session JOIN member ON member.id = session.member_id
  WHERE session.ended_at IS NULL AND session.method = 'sso' AND member.sso_issuer = $1
    AND ($2::text IS NULL OR member.sso_subject = $2)
    AND ($3::text IS NULL OR session.sso_session = $3 OR $2::text IS NOT NULL AND session.sso_session IS NULL)`
