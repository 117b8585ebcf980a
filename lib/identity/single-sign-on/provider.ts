import 'server-only'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientError,
  ClientSecretJwt,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { z } from 'zod'
import { env, type SingleSignOn } from '#lib/platform/env.ts'
import { errorFields, isAnswer, messageOfError } from '#lib/platform/log/error-fields.ts'
import { limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isLoopbackHost } from '#lib/platform/rules/network-addresses.ts'
import type { RefusalCode } from '#lib/words/labels/refusals.ts'

const log = logOf('single-sign-on')
const limited = limitedLog(log)

/** The clock of the provider is ahead of ours by this many seconds, or behind it when negative. */
export const noteClockDifference = (seconds: number): void =>
  log.warn({ seconds }, 'The clock of the provider of single sign-on differs')

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
    limited.warn(
      fault.why,
      { err: error, issuer: set, ...(fault.said === null ? {} : { said: fault.said }), fault: fault.words },
      'The provider of single sign-on does not say what it is',
    )
    throw new ProviderUnusable(fault.why, sso.name)
  }
}

export type UnusableFor = 'sso-provider-down' | 'sso-issuer' | 'sso-incomplete' | 'sso-certificate'

const codes = {
  'sso-provider-down': 'provider-down',
  'sso-issuer': 'provider-issuer',
  'sso-incomplete': 'provider-incomplete',
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
  const isHere = isLoopbackHost(issuer.hostname)
  const execute = isHere ? [allowInsecureRequests, enableNonRepudiationChecks] : [enableNonRepudiationChecks]
  const options = { execute, timeout, [customFetch]: reading(documentSchema(isHere)) }
  let configuration: Configuration
  try {
    configuration = await discovery(issuer, sso.clientId, {}, client.authenticate, options)
  } catch (error) {
    const said = otherIssuer(error)
    // The same path with or without a slash at its end names the same provider.
    if (said === null || said === issuer.href || !isSameButSlash(said, sso.issuer.href)) throw error
    return discover(sso, new URL(said))
  }
  const metadata = configuration.serverMetadata()
  const missing = needed.find((name) => metadata[name] === undefined)
  if (missing) throw new Incomplete(`its discovery document gives no address that can be used as ${missing}`)
  configuration[customFetch] = fetchAnswer
  return { configuration, client }
}

const needed = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** The provider describes itself, but a sign-in needs more. */
class Incomplete extends Error {}

/** Both libraries ask by such a request, whose other members are theirs. */
interface Asked {
  readonly method: string
}

/**
 * Providers write null, an empty text or the like for what they do not set, and the library takes every value for one that
 * is set. The schema drops such members of the JSON.
 */
const reading =
  (schema: z.ZodType) =>
  async (address: string, asked: Asked): Promise<Response> => {
    const response = await fetch(address, asked)
    const read = response.json.bind(response)
    response.json = async () => {
      const json: unknown = await read()
      return schema.safeParse(json).data ?? json
    }
    return response
  }

const textSchema = z.string().min(1).optional().catch(undefined)

const textsSchema = z
  .preprocess(
    (given) => [given].flat().filter((one) => typeof one === 'string' && one !== ''),
    z.array(z.string()),
  )
  .transform((texts) => (texts.length === 0 ? undefined : texts))
  .optional()

const yesSchema = z
  .union([z.boolean(), z.literal('true').transform(() => true)])
  .optional()
  .catch(undefined)

/** The members that are used here, or by the library. `isHere`: the provider is on this machine, where HTTP is allowed. */
function documentSchema(isHere: boolean) {
  const isUsable = (text: string) =>
    URL.canParse(text) && ['https:', ...(isHere ? ['http:'] : [])].includes(new URL(text).protocol)
  const address = z.string().refine(isUsable).optional().catch(undefined)
  return z.looseObject({
    issuer: z.string().refine(URL.canParse).optional().catch(undefined),
    authorization_endpoint: address,
    token_endpoint: address,
    jwks_uri: address,
    userinfo_endpoint: address,
    end_session_endpoint: address,
    pushed_authorization_request_endpoint: address,
    token_endpoint_auth_methods_supported: textsSchema,
    id_token_signing_alg_values_supported: textsSchema,
    userinfo_signing_alg_values_supported: textsSchema,
    prompt_values_supported: textsSchema,
    authorization_response_iss_parameter_supported: yesSchema,
    require_pushed_authorization_requests: yesSchema,
  })
}

/** Nobody here reads how long a token is valid, what it allows, or how to get another one. */
const GrantSchema = z.looseObject({}).transform(({ refresh_token: _, scope: __, ...granted }) => ({
  ...granted,
  // The library wants it of a pushed request.
  expires_in: 0,
}))

const PublishedKeysSchema = z.looseObject({
  keys: z.array(z.looseObject({ use: textSchema, alg: textSchema, key_ops: textsSchema })),
})

/** UserInfo has neither form, and is kept as it came. */
const fetchAnswer = (address: string, asked: Asked) =>
  asked.method === 'POST' ? reading(GrantSchema)(address, asked) : fetchKeys(address, asked)

/** This reads the keys that the provider publishes, for either library. */
export const fetchKeys = reading(PublishedKeysSchema)

/** A provider may write its issuer with a slash at its end, and the settings without. */
export const isSameButSlash = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '')

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
    why: whyUnusable(error),
    words,
    said,
  }
}

function whyUnusable(error: unknown): UnusableFor {
  if (error instanceof Incomplete) return 'sso-incomplete'
  if (isUntrusted(error)) return 'sso-certificate'
  return isDown(error) ? 'sso-provider-down' : 'sso-issuer'
}

const causeOf = ({ cause }: ClientError) => errorFields(cause, 0).message

/** The provider could not be reached or has a fault that passes by itself. */
export function isDown(error: unknown): boolean {
  if (error instanceof TypeError && error.message === 'fetch failed') return !isUntrusted(error)
  if (!(error instanceof ClientError)) return false
  if (isAnswer(error.cause)) return error.cause.status >= 500 || error.cause.status === 429
  return error.code === 'OAUTH_TIMEOUT'
}

/** Waiting does not help: the provider's certificate was refused, or its port does not speak TLS. */
export const isUntrusted = (error: unknown): boolean => {
  if (!(error instanceof TypeError)) return false
  const { code, message } = errorFields(error.cause, 0)
  return ofCertificate.test(String(code)) || message.includes(':wrong version number:')
}

/** Node's codes of refused certificates have one of these parts. */
const ofCertificate = /CERT|SIGNATURE|^INVALID_/

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
  if ([sso.clientId, secret].some((text) => encode(text) !== text))
    ways.push(['basic, as it is', basic(secret, (text) => text)])
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
