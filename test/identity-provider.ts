import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import Provider, { type Configuration } from 'oidc-provider'

export const clientId = 'rampart'
export const clientSecret = 'a secret of the client that is long enough'

/** Somebody at the provider; other claims than these are answered as they are. */
export interface Account {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean | string
  readonly groups?: unknown
  readonly auth_time?: number
}

/** What the provider answers instead of the identity token that it made; the token is signed anew unless it says not to. */
type Tamper = (claims: Record<string, unknown>) => { claims: Record<string, unknown>; key?: crypto.KeyObject }

/**
 * A real provider of OpenID Connect (npm `oidc-provider`) on this machine. Whoever comes is signed in as `account`, without
 * being asked; `tamper` has it answer with a forged identity token.
 */
export async function startIdentityProvider(port: number, redirectUri: string) {
  const issuer = `http://localhost:${port}`
  const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 })
  const state: { account: Account; tamper: Tamper | null; tokenAnswer: string | null } = {
    account: { sub: 'nobody' },
    tamper: null,
    tokenAnswer: null,
  }
  const accounts = new Map<string, Account>()
  const configuration: Configuration = {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }] },
    claims: {
      openid: ['sub', 'auth_time'],
      profile: ['name'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: ['openid', 'profile', 'email', 'groups'],
    // Lenient, so that what a test shows of PKCE is the dashboard's doing.
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
  }
  const provider = new Provider(issuer, configuration)
  const answer = provider.callback()
  const server = http.createServer(async (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      accounts.set(state.account.sub, state.account)
      await provider.interactionFinished(request, response, { login: { accountId: state.account.sub } })
      return
    }
    if (request.url === '/token') changeTokens(response)
    answer(request, response)
  })
  server.listen(port, 'localhost')
  await once(server, 'listening')

  function changeTokens(response: http.ServerResponse) {
    const end = response.end.bind(response)
    response.end = (body?: unknown) => {
      const changed = state.tokenAnswer ?? changeIdToken(String(body))
      response.setHeader('content-length', Buffer.byteLength(changed))
      return end(changed)
    }
  }

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
    /** Takes a browser with no session at the provider through it; answers the query that it comes back with. */
    visit: (url: string) => follow(url, redirectUri),
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Follows redirects as a browser does, with cookies, until one leads to `end`. */
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
