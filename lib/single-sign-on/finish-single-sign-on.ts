import 'server-only'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  type Configuration,
  fetchUserInfo,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { z } from 'zod'
import { digestToken } from '#lib/auth/token.ts'
import { pool } from '#lib/db/pool.ts'
import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import { consumeLimit } from '#lib/limits/limits.ts'
import { logOf } from '#lib/log.ts'
import type { Caller } from '#lib/request/caller.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { RequestContext } from '#lib/request/request-context.ts'
import { refuseSignIn } from '#lib/sign-in/refuse-sign-in.ts'
import { admitByClaims } from './admit-by-claims.ts'
import { beganAt, callbackUrl } from './begin-single-sign-on.ts'
import { type Answer, ClaimsSchema } from './claims.ts'
import { findProvider } from './provider.ts'
import { clockTolerance, type Proof, readProof } from './read-proof.ts'
import { reportRefusal, reportTest } from './reports.ts'

const log = logOf('single-sign-on')

export type SingleSignOnOutcome =
  | { readonly kind: 'signed-in'; readonly token: string; readonly next: string | null }
  /** An admin tested it: the page Settings shows what came. */
  | { readonly kind: 'tested' }
  | {
      readonly kind: 'refused'
      readonly why: SignInRefusal
      readonly next: string | null
      /** True if somebody who is signed in was to prove once more who they are. */
      readonly again: boolean
    }

/**
 * The browser comes back from the provider with an answer: it must be to a question that this very browser was sent with,
 * and the first. The code is exchanged, the identity token checked (signature, issuer, audience, nonce, times), and
 * whoever it names signed in.
 * @param search the query of the callback, as it came
 * @param settingUp who has opened a link and sets up a way to sign in by this
 */
export async function finishSingleSignOn(
  search: string,
  settingUp: Caller | null,
  context: RequestContext,
): Promise<SingleSignOnOutcome> {
  const url = callbackUrl()
  url.search = search
  const isFlood = (await consumeLimit('sso-return-per-ip', context.ip)) > 0
  const attempt = isFlood ? null : await takeAttempt(url.searchParams.get('state'), context.browserId)
  const isAgain = attempt !== null && attempt.proofSince !== null
  const refuse = async (why: SignInRefusal, target: string | null = null): Promise<SingleSignOnOutcome> => {
    await refuseSignIn(why, 'sso', target, context)
    return { kind: 'refused', why, next: attempt?.next ?? null, again: isAgain }
  }
  if (!attempt) return refuse(isFlood ? 'too-many' : 'sso-unknown')
  const answer = await askProvider(url, attempt).catch(explainFailure)
  if (attempt.testedBy !== null) {
    await reportTest(attempt.testedBy, answer)
    return { kind: 'tested' }
  }
  if (typeof answer === 'string') return refuse(answer)
  const admitted = await admitByClaims(answer, settingUp, context)
  if (admitted.kind === 'refused') {
    await reportRefusal(answer, admitted)
    return refuse(admitted.why, admitted.memberId)
  }
  return { kind: 'signed-in', token: admitted.token, next: attempt.next }
}

interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly next: string | null
  /** Only a proof of who they are since then counts; null where none is asked for. */
  readonly proofSince: Date | null
  readonly expiresAt: Date
  /** Who tests it; null for a sign-in. */
  readonly testedBy: string | null
}

/** What this browser was sent away with; deleted, so that the same answer is not taken twice. */
async function takeAttempt(state: string | null, browserId: string | null): Promise<Attempt | null> {
  if (state === null || browserId === null) return null
  const { rows } = await pool().query<Omit<Attempt, 'state'>>(TAKE, [
    digestToken(state),
    digestToken(browserId),
  ])
  const [row] = rows
  return row ? { state, ...row } : null
}

const TAKE = `
  DELETE FROM sso_attempt WHERE state_digest = $1 AND browser_digest = $2 AND expires_at > now()
  RETURNING nonce, code_verifier AS "codeVerifier", next, proof_since AS "proofSince",
    expires_at AS "expiresAt", tested_by AS "testedBy"`

/** Exchanges the code and checks what comes for it; claims that only the userinfo endpoint gives are added. */
async function askProvider(
  url: URL,
  { state, nonce, codeVerifier, proofSince, expiresAt }: Attempt,
): Promise<Answer | SignInRefusal> {
  const provider = await findProvider()
  const tokens = await authorizationCodeGrant(provider, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  })
  const token = tokens.claims()
  const userInfo = token && (await readUserInfo(provider, tokens.access_token, token.sub))
  const claims = ClaimsSchema.parse({ ...userInfo, auth_time: undefined, ...token })
  const proof = readProof(claims, beganAt(expiresAt), new Date())
  if (proof.clockDifference !== 0)
    log.warn({ seconds: proof.clockDifference }, 'The clock of the provider of single sign-on differs')
  if (proofSince && !isSince(proof, proofSince)) return 'sso-not-again'
  return { claims, sets: [{ ...token }, { ...userInfo }], proof }
}

const isSince = ({ at }: Proof, since: Date): boolean =>
  at !== null && at.getTime() >= since.getTime() - clockTolerance * 1000

async function readUserInfo(provider: Configuration, accessToken: string, subject: string) {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {}
  return fetchUserInfo(provider, accessToken, subject)
}

/** Why the provider's answer was not taken; an error that is no answer's is a fault of ours. */
function explainFailure(error: unknown): SignInRefusal {
  // Already logged.
  if (error instanceof Refused) return 'sso-provider-down'
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'sso-declined'
  const why = isDown(error) ? 'sso-provider-down' : isNonsense(error) ? 'sso-refused' : null
  if (why === null) throw error
  // The code that the provider gives, which the error's own words leave out.
  const said =
    error instanceof ResponseBodyError || error instanceof AuthorizationResponseError ? error.error : null
  log.warn(
    { err: error, said, ...clockOf(error) },
    'An answer of the provider of single sign-on was not taken',
  )
  return why
}

/** How far the clocks seem to be apart, where a token is over or not good yet by ours. */
function clockOf(error: unknown): { readonly clock?: string } {
  const { claims, now } = TokenOutOfTime.safeParse(error).data?.cause.cause ?? {}
  if (claims === undefined || now === undefined) return {}
  return { clock: `${claims.iat - now} s between the provider’s clock, by iat, and this server’s` }
}

const TokenOutOfTime = z.object({
  cause: z.object({
    cause: z.object({
      claims: z.object({ iat: z.number() }),
      now: z.number(),
      claim: z.enum(['exp', 'nbf']),
    }),
  }),
})

const isDown = (error: unknown): boolean =>
  (error instanceof ClientError && downCodes.has(error.code ?? '')) ||
  (error instanceof TypeError && error.message === 'fetch failed')

const downCodes = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'])

const isNonsense = (error: unknown): boolean =>
  [
    ClientError,
    ResponseBodyError,
    AuthorizationResponseError,
    WWWAuthenticateChallengeError,
    z.ZodError,
  ].some((kind) => error instanceof kind)
