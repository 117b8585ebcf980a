import 'server-only'
import {
  type ClientAuth,
  ClientError,
  ClientSecretJwt,
  ClientSecretPost,
  None,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import type { SingleSignOn } from '#lib/platform/env.ts'
import { isAnswer } from '#lib/platform/log/error-fields.ts'

/** The provider accepted no way in which this client can prove itself; the cause is its first refusal. */
export class ClientRefused extends Error {}

/** This dashboard proves that it is the provider's client. */
export interface ClientAuthentication {
  readonly authenticate: ClientAuth
  /**
   * The ways are tried until the provider accepts the client: the way that worked last, then those of its
   * metadata, then the others. Throws `ClientRefused`, or any other error.
   */
  asking<T>(server: ServerMetadata, ask: () => Promise<T>): Promise<T>
}

/** The provider accepted the client in this way last. */
const taken = new WeakMap<SingleSignOn, string>()

export function clientAuthentication(sso: SingleSignOn): ClientAuthentication {
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
