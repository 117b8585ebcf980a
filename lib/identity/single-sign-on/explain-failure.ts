import 'server-only'
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { z } from 'zod'
import { logOf } from '#lib/platform/log.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import { ClientRefused, isDown, isUntrusted, ProviderUnusable } from './provider.ts'

const log = logOf('single-sign-on')

/**
 * The provider's answer was not accepted for this reason, which is also logged; an error that is no answer is
 * our own fault. `isAgain`: the person was to prove again who they are.
 */
export function explainFailure(error: unknown, isAgain: boolean): SignInRefusal {
  // The error was logged already.
  if (error instanceof ProviderUnusable) return error.why
  const why = whyOf(error, isAgain)
  if (why === null) throw error
  // Somebody who cancels, or may not come here, is no fault. A merchant still asks why.
  if (why === 'sso-declined') {
    log.info({ why, ...saidBy(error) }, 'The provider of single sign-on did not let somebody in')
    return why
  }
  log.warn(
    { err: error, why, ...saidBy(error), ...comparedBy(error), ...clockOf(error) },
    'An answer of the provider of single sign-on was not taken',
  )
  return why
}

/** The provider refuses the form of the request, so another form may work. */
export const refusesQuestion = (error: unknown): boolean =>
  (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) &&
  !codes.has(error.error)

/**
 * The sign-in at the provider ended before the person finished it, as in Keycloak's second tab once they signed in in the
 * first one. Keycloak wants to be asked again at once.
 */
export const hasEndedThere = (error: unknown): boolean =>
  error instanceof AuthorizationResponseError &&
  error.error === 'temporarily_unavailable' &&
  error.error_description === 'authentication_expired'

/** The provider wants pushed requests (RFC 9126). Providers say this in words, without a code. */
export const wantsPushed = (error: unknown): boolean =>
  refusesQuestion(error) && /pushed|\bPAR\b/i.test(saidBy(error).reason ?? '')

/** The provider does not know when the person proved who they are, and says so in a form that no token may have. */
export const hasUnreadableTime = (error: unknown): boolean => unreadableClaim(error) === 'auth_time'

/** The library says in words which claim has a wrong form; null for another error. */
function unreadableClaim(error: unknown): string | null {
  if (!(error instanceof ClientError && error.cause instanceof Error)) return null
  return (
    /^(?:unexpected JWT|ID Token) "(\w+)" .*(?:claim type|number)$/.exec(error.cause.message)?.[1] ?? null
  )
}

/** These codes of RFC 6749, OpenID Connect Core and related specifications say more than that a request is refused. */
const codes: ReadonlyMap<string, SignInRefusal> = new Map([
  ['access_denied', 'sso-declined'],
  ['invalid_scope', 'sso-scope'],
  ['invalid_client', 'sso-client'],
  ['unauthorized_client', 'sso-client'],
  ['temporarily_unavailable', 'sso-provider-down'],
  ['server_error', 'sso-provider-down'],
  ['invalid_grant', 'sso-refused'],
  ['login_required', 'sso-refused'],
  ['interaction_required', 'sso-refused'],
  ['consent_required', 'sso-refused'],
])

function whyOf(error: unknown, isAgain: boolean): SignInRefusal | null {
  if (error instanceof ClientRefused) return 'sso-client'
  if (hasEndedThere(error)) return 'sso-expired'
  if (isUntrusted(error)) return 'sso-certificate'
  if (isDown(error)) return 'sso-provider-down'
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return codes.get(error.error) ?? whyNotAsked(error, isAgain)
  if (error instanceof ClientError) return whyUnreadable(error)
  return error instanceof WWWAuthenticateChallengeError || error instanceof z.ZodError ? 'sso-refused' : null
}

function whyNotAsked(error: AuthorizationResponseError | ResponseBodyError, isAgain: boolean): SignInRefusal {
  if (error instanceof ResponseBodyError && error.status >= 500) return 'sso-provider-down'
  if (wantsPushed(error)) return 'sso-pushed'
  return isAgain && error instanceof AuthorizationResponseError ? 'sso-asks-not-again' : 'sso-question'
}

function whyUnreadable(error: ClientError): SignInRefusal {
  if (unreadableClaim(error) !== null) return 'sso-claim'
  const words = error.cause instanceof Error ? error.cause.message : error.message
  if (words.startsWith('JWE ')) return 'sso-encrypted'
  return words === 'unexpected JWT "alg" header parameter' || words === 'unsupported JWS algorithm'
    ? 'sso-algorithm'
    : 'sso-refused'
}

/** The clocks seem to differ by this much when a token is expired or not yet valid by ours. */
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

/** The provider's own code and reason are missing in the error's message. They say nothing about the person. */
function saidBy(error: unknown): { readonly said?: string; readonly reason?: string } {
  if (error instanceof ClientRefused) return saidBy(error.cause)
  if (!(error instanceof ResponseBodyError || error instanceof AuthorizationResponseError)) return {}
  const { error: said, error_description: reason } = error
  return { said, ...(typeof reason === 'string' ? { reason: reason.slice(0, 300) } : {}) }
}

const ComparedSchema = z.object({
  cause: z.object({
    cause: z.union([
      z.object({ claims: z.object({ iss: z.string() }), claim: z.literal('iss'), expected: z.string() }),
      z.object({ parameters: z.instanceof(URLSearchParams), expected: z.string() }),
      z.object({ header: z.object({ alg: z.string() }) }),
      z.object({ alg: z.string() }),
    ]),
  }),
})

/** The issuer or the algorithm differs from the expected one. Both say nothing about a person. */
function comparedBy(error: unknown): Readonly<Record<string, string>> {
  const read = ComparedSchema.safeParse(error)
  if (!read.success) return {}
  const { cause } = read.data.cause
  if ('claims' in cause) return { expected: cause.expected, came: cause.claims.iss }
  if ('parameters' in cause) return { expected: cause.expected, came: cause.parameters.get('iss') ?? '' }
  return { came: 'header' in cause ? cause.header.alg : cause.alg }
}
