import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'

export const clientId = 'rampart'
export const clientSecret = 'a secret of the client that is long enough'

/** The account exists at the provider. Further claims are answered unchanged. */
export interface Account {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean | string
  readonly groups?: unknown
  readonly auth_time?: number
}

/**
 * The provider answers this instead of the identity token that it made. The token is signed again unless `key` says
 * otherwise.
 */
type Tamper = (claims: Record<string, unknown>) => { claims: Record<string, unknown>; key?: crypto.KeyObject }

/** A variant differs from the provider that most tests use. */
export interface Variant {
  readonly client?: Partial<ClientMetadata>
  readonly configuration?: Configuration
  /** The issuer's path is, for example, `/realms/a`. */
  readonly path?: string
  /** The function sees each request first, and answers true when it has answered the request itself. */
  readonly answers?: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | undefined
}

/** The provider's JSON at this path is changed before it leaves. The function is for `Variant.answers`. */
export const changing =
  (path: string, change: (body: Record<string, unknown>) => object): NonNullable<Variant['answers']> =>
  (request, response) => {
    if (request.url?.includes(path)) changeBody(response, (body) => JSON.stringify(change(JSON.parse(body))))
    return false
  }

/** The provider answers with an error at the browser's address, as it does when it refuses a request. */
export const refuses =
  (isRefused: (asked: URLSearchParams) => boolean, error: string, description = 'No.'): Variant['answers'] =>
  (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname !== '/auth' || !isRefused(url.searchParams)) return false
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    const given = { state: url.searchParams.get('state') ?? '', iss: `http://${request.headers.host}` }
    back.search = `${new URLSearchParams({ error, error_description: description, ...given })}`
    response.writeHead(303, { location: back.href }).end()
    return true
  }

function changeBody(response: http.ServerResponse, change: (body: string) => string) {
  const end = response.end.bind(response)
  response.end = (body?: unknown) => {
    const changed = change(String(body))
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }
}

const makeKey = () => crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** Every provider begins with this key, because making one takes longer than most tests. */
const firstKey = makeKey()

/**
 * A real OpenID Connect provider (npm `oidc-provider`) runs on this machine. Every visitor is signed in as `account`,
 * without a question; `tamper` makes it answer with a forged identity token.
 */
export async function startIdentityProvider(port: number, redirectUri: string, variant: Variant = {}) {
  const origin = `http://localhost:${port}`
  const issuer = `${origin}${variant.path ?? ''}`
  let privateKey = firstKey
  const state: { account: Account; tamper: Tamper | null; tokenAnswer: string | null; asked: URL[] } = {
    account: { sub: 'nobody' },
    tamper: null,
    tokenAnswer: null,
    asked: [],
  }
  let { keys } = jwksOf(privateKey, 'test')
  const accounts = new Map<string, Account>()
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri],
        ...variant.client,
      },
    ],
    jwks: { keys },
    claims: {
      openid: ['sub', 'auth_time'],
      profile: ['name'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: ['openid', 'profile', 'email', 'groups'],
    // The provider is lenient, so that a test of PKCE checks the dashboard's own doing.
    pkce: { required: () => false },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, IdToken: 600 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...accounts.get(sub), sub }) }),
    async loadExistingGrant({ oidc: { provider, client, session } }) {
      const grant = new provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile email groups')
      await grant.save()
      return grant
    },
    ...variant.configuration,
  }
  let provider = new Provider(issuer, configuration)
  let answer = provider.callback()
  const server = http.createServer(async (request, response) => {
    if (variant.answers?.(request, response)) return
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/auth') state.asked.push(url)
    if (request.url?.startsWith('/interaction/')) {
      accounts.set(state.account.sub, state.account)
      await provider.interactionFinished(request, response, { login: { accountId: state.account.sub } })
      return
    }
    if (request.url === '/token') changeBody(response, (body) => state.tokenAnswer ?? changeIdToken(body))
    // A framework mounts the provider at a path in this way.
    if (variant.path)
      Object.assign(request, {
        originalUrl: request.url,
        url: request.url?.replace(variant.path.replace(/\/$/, ''), ''),
      })
    answer(request, response)
  })
  server.listen(port, 'localhost')
  await once(server, 'listening')

  function changeIdToken(body: string): string {
    const tokens = JSON.parse(body)
    if (!state.tamper || typeof tokens.id_token !== 'string') return body
    const [header, payload] = tokens.id_token.split('.')
    const { claims, key = privateKey } = state.tamper(
      JSON.parse(Buffer.from(payload, 'base64url').toString()),
    )
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
    const signature = crypto.sign('sha256', Buffer.from(signed), key).toString('base64url')
    return JSON.stringify({ ...tokens, id_token: `${signed}.${signature}` })
  }

  return {
    issuer,
    state,
    /**
     * The provider signs with another key from now on, and the answer is its name. It publishes that key at this place
     * among those before, or alone.
     */
    rotateKey(place: 'first' | 'last' | null = null): string {
      const kid = crypto.randomUUID()
      privateKey = makeKey()
      const made = jwksOf(privateKey, kid).keys
      keys = place === null ? made : place === 'first' ? [...made, ...keys] : [...keys, ...made]
      provider = new Provider(issuer, { ...configuration, jwks: { keys } })
      answer = provider.callback()
      return kid
    },
    /** The provider sends such a logout token to the client when a session ends. */
    logoutToken(claims: Record<string, unknown>, header: Record<string, unknown> = {}): string {
      const now = Math.floor(Date.now() / 1000)
      const made = { iss: issuer, aud: clientId, iat: now, exp: now + 120, jti: crypto.randomUUID() }
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      return this.sign(JSON.stringify({ ...made, events, ...claims }), header)
    },
    /** The provider signs whatever this is, as a logout token. */
    sign(content: string, header: Record<string, unknown> = {}): string {
      const head = JSON.stringify({ alg: 'RS256', kid: 'test', typ: 'logout+jwt', ...header })
      const signed = [head, content].map((part) => Buffer.from(part).toString('base64url')).join('.')
      return `${signed}.${crypto.sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
    },
    /** The function takes a browser without a session through the provider, and answers the query of its return. */
    visit: (url: string) => follow(url, redirectUri),
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const jwksOf = (key: crypto.KeyObject, kid: string) => ({
  keys: [{ ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }],
})

/** The function follows redirects as a browser does, with cookies, until one leads to `end`. */
async function follow(url: string, end: string): Promise<string> {
  const jar = new Map<string, string>()
  let at = url
  for (let step = 0; step < 10; step++) {
    if (at.startsWith(end)) return new URL(at).search
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      jar.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${at} answered ${answer.status}: ${await answer.text()}`)
    at = new URL(location, at).href
  }
  throw new Error(`Too many redirects, the last to ${at}`)
}
