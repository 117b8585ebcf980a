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

/** The provider took none of the ways in which this client can prove itself; the cause is its first refusal. */
export class ClientRefused extends Error {}

/** How this dashboard proves that it is the provider's client. */
export interface ClientAuthentication {
  readonly authenticate: ClientAuth
  /**
   * Asks until the provider takes the client: first as it took it last, then as its metadata says, then otherwise. Throws
   * `ClientRefused`, or what else was wrong.
   */
  asking<T>(server: ServerMetadata, ask: () => Promise<T>): Promise<T>
}

/** By which way a provider took the client last. */
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

/** Without metadata a provider takes Basic (OpenID Connect Discovery, section 3). */
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
  // Many compare what Basic holds without decoding it.
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

/** As RFC 6749, section 2.3.1, has it; `openid-client` encodes `-._~` too, which those who do not decode then miss. */
const encode = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

function refusesClient(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return true
  if (error instanceof ResponseBodyError) return error.status === 401 || clientCodes.has(error.error)
  return error instanceof ClientError && isAnswer(error.cause) && error.cause.status === 401
}

/** Keycloak says the second of a wrong secret. */
const clientCodes: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])
