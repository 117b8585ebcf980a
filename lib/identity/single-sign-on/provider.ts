import 'server-only'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientError,
  ClientSecretJwt,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { z } from 'zod'
import { env, type SingleSignOn } from '#lib/platform/env.ts'
import { errorFields, isAnswer, isUnknownAuthority, messageOfError } from '#lib/platform/log/error-fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isLoopbackHost } from '#lib/platform/rules/network-addresses.ts'
import type { RefusalCode } from '#lib/words/labels/refusals.ts'

const log = logOf('single-sign-on')

/** The provider's metadata are used for this many milliseconds, if nobody comes back from it. */
const freshFor = 3_600_000

/** One answer of the provider may take this many seconds. */
const timeout = 5

/** The provider describes itself (OpenID Connect Discovery). */
export interface Provider {
  readonly configuration: Configuration
  readonly client: ClientAuthentication
}

const read = new WeakMap<SingleSignOn, { readonly provider: Provider; readonly until: number }>()

/** Throws `Refused` when single sign-on is not set up. */
export function requireSingleSignOn(): SingleSignOn {
  const { singleSignOn } = env()
  if (!singleSignOn) throw new Refused('no-single-sign-on')
  return singleSignOn
}

/** The provider described itself like this within the last hour. Throws `ProviderUnusable`. */
export async function findProvider(now = Date.now()): Promise<Provider> {
  const known = read.get(requireSingleSignOn())
  return known && known.until > now ? known.provider : readProvider(now)
}

/** The provider describes itself like this now. Its keys are read as well, so that a new key is known. */
export async function readProvider(now = Date.now()): Promise<Provider> {
  const sso = requireSingleSignOn()
  try {
    const provider = await discover(sso)
    read.set(sso, { provider, until: now + freshFor })
    return provider
  } catch (error) {
    const fault = explain(error)
    const set = sso.issuer.href
    log.warn(
      { err: error, issuer: set, ...(fault.said === null ? {} : { said: fault.said }), fault: fault.words },
      'The provider of single sign-on does not say what it is',
    )
    throw new ProviderUnusable(fault.why, sso.name)
  }
}

export type UnusableFor = 'sso-provider-down' | 'sso-issuer' | 'sso-certificate'

const codes = {
  'sso-provider-down': 'provider-down',
  'sso-issuer': 'provider-issuer',
  'sso-certificate': 'provider-certificate',
} as const satisfies Record<UnusableFor, RefusalCode>

/** Nobody can be sent to the provider. */
export class ProviderUnusable extends Refused {
  readonly why: UnusableFor

  constructor(why: UnusableFor, name: string) {
    super(codes[why], { name })
    this.why = why
  }
}

/** The line says what is wrong with the provider; null when it answers properly, and when none is set. */
export async function providerFault(): Promise<string | null> {
  const { singleSignOn } = env()
  if (!singleSignOn) return null
  try {
    await discover(singleSignOn)
    return null
  } catch (error) {
    const { issuer, name } = singleSignOn
    return `OIDC_ISSUER: the provider at ${issuer.href} does not say what it is (${explain(error).words}). Until it does, nobody signs in by ${name}.`
  }
}

/** The provider publishes so many keys now, for its signatures. Call it when `providerFault` is null. */
export async function countProviderKeys(): Promise<number> {
  const { configuration } = await discover(requireSingleSignOn())
  const { jwks_uri: address = '' } = configuration.serverMetadata()
  const answer = await fetch(address, { signal: AbortSignal.timeout(timeout * 1_000) })
  return KeysSchema.parse(await answer.json()).keys.length
}

const KeysSchema = z.object({ keys: z.array(z.object({ kty: z.string() })) })

async function discover(sso: SingleSignOn, issuer = sso.issuer): Promise<Provider> {
  const client = clientAuthentication(sso)
  // `env()` allows HTTP only on this machine.
  const execute = isLoopbackHost(issuer.hostname)
    ? [allowInsecureRequests, enableNonRepudiationChecks]
    : [enableNonRepudiationChecks]
  const options = { execute, timeout }
  try {
    return { configuration: await discovery(issuer, sso.clientId, {}, client.authenticate, options), client }
  } catch (error) {
    const said = otherIssuer(error)
    // The same path with or without a slash at its end names the same provider.
    if (said === null || said === issuer.href || !isSameButSlash(said, sso.issuer.href)) throw error
    return discover(sso, new URL(said))
  }
}

const isSameButSlash = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '')

const OtherIssuerSchema = z.object({
  cause: z.object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.url() }) }),
})

/** The document names this issuer, if it differs from the configured one. */
function otherIssuer(error: unknown): string | null {
  const read = OtherIssuerSchema.safeParse(error)
  return read.success ? read.data.cause.body.issuer : null
}

/** The reason why a provider cannot be used says if waiting helps, or a setting. */
function explain(error: unknown): {
  readonly why: UnusableFor
  readonly words: string
  readonly said: string | null
} {
  const said = otherIssuer(error)
  if (said !== null) return { why: 'sso-issuer', words: `it calls itself ${said}`, said }
  const words =
    error instanceof ClientError && error.cause
      ? `${error.message}: ${causeOf(error)}`
      : messageOfError(error)
  return {
    why: isUntrusted(error) ? 'sso-certificate' : isDown(error) ? 'sso-provider-down' : 'sso-issuer',
    words,
    said,
  }
}

const causeOf = ({ cause }: ClientError) => errorFields(cause, 0).message

/** The provider could not be reached or has a fault that passes by itself. */
export function isDown(error: unknown): boolean {
  if (error instanceof TypeError && error.message === 'fetch failed') return !isUntrusted(error)
  if (!(error instanceof ClientError)) return false
  if (isAnswer(error.cause)) return error.cause.status >= 500 || error.cause.status === 429
  return error.code === 'OAUTH_TIMEOUT'
}

export const isUntrusted = (error: unknown): boolean =>
  error instanceof TypeError && isUnknownAuthority(error.cause)

/** The provider accepted no way in which this client can prove itself; the cause is its first refusal. */
export class ClientRefused extends Error {}

/** This dashboard proves that it is the provider's client. */
interface ClientAuthentication {
  readonly authenticate: ClientAuth
  /**
   * The ways are tried until the provider accepts the client: the way that worked last, then those of its
   * metadata, then the others. Throws `ClientRefused`, or any other error.
   */
  asking<T>(server: ServerMetadata, ask: () => Promise<T>): Promise<T>
}

/** The provider accepted the client in this way last. */
const taken = new WeakMap<SingleSignOn, string>()

function clientAuthentication(sso: SingleSignOn): ClientAuthentication {
  let way: ClientAuth = None()
  return {
    authenticate: (...request) => way(...request),
    async asking(server, ask) {
      let refusal: unknown
      for (const [name, next] of waysOf(sso, server.token_endpoint_auth_methods_supported)) {
        way = next
        try {
          const answer = await ask()
          taken.set(sso, name)
          return answer
        } catch (error) {
          if (!refusesClient(error)) throw error
          refusal ??= error
        }
      }
      throw new ClientRefused('the provider does not take the client id and its secret', { cause: refusal })
    },
  }
}

/** A provider without metadata accepts Basic (OpenID Connect Discovery, section 3). */
function waysOf(
  sso: SingleSignOn,
  supported: readonly string[] = ['client_secret_basic'],
): [string, ClientAuth][] {
  const { clientSecret: secret } = sso
  if (secret === null) return [['none', None()]]
  const ways: [string, ClientAuth][] = [
    ['client_secret_basic', basic(secret, encode)],
    ['client_secret_post', ClientSecretPost(secret)],
  ]
  // Many providers compare the Basic value without decoding it.
  if (encode(secret) !== secret) ways.push(['basic, as it is', basic(secret, (text) => text)])
  if (supported.includes('client_secret_jwt')) ways.push(['client_secret_jwt', ClientSecretJwt(secret)])
  const rank = (name: string) => (name === taken.get(sso) ? 0 : supported.includes(name) ? 1 : 2)
  return ways.toSorted(([a], [b]) => rank(a) - rank(b))
}

const basic =
  (secret: string, write: (text: string) => string): ClientAuth =>
  (_server, client, _body, headers) => {
    const credentials = `${write(client.client_id)}:${write(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }

/**
 * The encoding is that of RFC 6749, section 2.3.1; `openid-client` also encodes `-._~`, which providers that do
 * not decode would miss.
 */
const encode = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

function refusesClient(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return true
  if (error instanceof ResponseBodyError) return error.status === 401 || clientCodes.has(error.error)
  return error instanceof ClientError && isAnswer(error.cause) && error.cause.status === 401
}

/** Keycloak gives the second code for a wrong secret. */
const clientCodes: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])
