import fs from 'node:fs'
import type http from 'node:http'
import { z } from 'zod'
import type { SignInRefusal } from '../../../lib/identity/rules/sign-in.ts'
import { clientId, type Variant } from '../../../test/identity-provider.ts'
import type { NextServer } from '../../../test/next-server.ts'

/** A case says how one provider differs, and what a sign-in there gives: a role, or a refusal with its cause. */
export interface IdentityCase {
  readonly name: string
  readonly variant: Variant
  readonly settings?: Readonly<Record<string, string>>
  /** The account has these values in `groups`, or in the claim that `settings` name. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly comes: 'signed-in' | SignInRefusal
  /** The provider never asks anybody again when this is true. */
  readonly neverAgain?: boolean
}

const secret = 'Jh68Q~L7.tp+%/=-_ and more of it'
const withoutForms = { devInteractions: { enabled: false } }

const refuses =
  (isRefused: (asked: URLSearchParams) => boolean, error: string, reason = 'No.'): Variant['answers'] =>
  (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname !== '/auth' || !isRefused(url.searchParams)) return false
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    const state = url.searchParams.get('state') ?? ''
    const given = { error, error_description: reason, state, iss: `http://${request.headers.host}` }
    response.writeHead(303, { location: `${back.href}?${new URLSearchParams(given)}` }).end()
    return true
  }

/** Several products compare Basic's content without decoding it, against RFC 6749. */
function comparesUndecoded(request: http.IncomingMessage, response: http.ServerResponse): boolean {
  const [scheme, given = ''] = (request.headers.authorization ?? '').split(' ')
  if (request.url !== '/token' || scheme !== 'Basic') return false
  if (Buffer.from(given, 'base64').toString() === `${clientId}:${secret}`) {
    const encoded = [clientId, secret].map(encodeURIComponent).join(':')
    request.headers.authorization = `Basic ${Buffer.from(encoded).toString('base64')}`
    return false
  }
  response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="clients"' })
  response.end('{"error":"invalid_client"}')
  return true
}

const describes =
  (status: number, body: string, type = 'application/json'): Variant['answers'] =>
  (request, response) => {
    if (!request.url?.includes('/.well-known/')) return false
    response.writeHead(status, { 'content-type': type }).end(body)
    return true
  }

export const identityCases: readonly IdentityCase[] = [
  { name: 'as it comes', variant: {}, comes: 'signed-in' },
  {
    name: 'post alone',
    variant: {
      client: { client_secret: secret, token_endpoint_auth_method: 'client_secret_post' },
      configuration: { clientAuthMethods: ['client_secret_post'] },
    },
    settings: { OIDC_CLIENT_SECRET: secret },
    comes: 'signed-in',
  },
  {
    name: 'Basic, which it does not decode',
    variant: { client: { client_secret: secret }, answers: comparesUndecoded },
    settings: { OIDC_CLIENT_SECRET: secret },
    comes: 'signed-in',
  },
  {
    name: 'pushed requests alone',
    variant: {
      configuration: {
        features: {
          ...withoutForms,
          pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
        },
      },
    },
    comes: 'signed-in',
  },
  {
    name: 'pushed requests of this client alone',
    variant: { client: { require_pushed_authorization_requests: true } },
    comes: 'signed-in',
  },
  {
    name: 'max_age refused',
    variant: { answers: refuses((asked) => asked.has('max_age'), 'invalid_request') },
    comes: 'signed-in',
  },
  {
    name: 'never asks again',
    variant: { answers: refuses((asked) => asked.has('prompt'), 'invalid_request') },
    comes: 'signed-in',
    neverAgain: true,
  },
  { name: 'an issuer with a path', variant: { path: '/realms/a' }, comes: 'signed-in' },
  {
    name: 'one role of several',
    variant: {},
    comes: 'signed-in',
    claims: { groups: ['helpdesk', 'other'] },
  },
  { name: 'no role', variant: {}, comes: 'sso-no-role', claims: { groups: ['other'] } },
  {
    name: 'a role claim that is not sent',
    variant: { configuration: { claims: { openid: ['sub', 'auth_time'], profile: ['name'] } } },
    comes: 'sso-role-not-sent',
  },
  {
    name: 'a role claim under a key with dots',
    variant: {
      configuration: { claims: { openid: ['sub', 'auth_time', 'resource_access'], profile: ['name'] } },
    },
    settings: { OIDC_ROLE_CLAIM: 'resource_access.dash.merchant.test.roles' },
    claims: { groups: undefined, resource_access: { 'dash.merchant.test': { roles: ['other'] } } },
    comes: 'sso-no-role',
  },
  {
    name: 'an unknown scope',
    variant: { answers: refuses(() => true, 'invalid_scope') },
    comes: 'sso-scope',
  },
  {
    name: 'an encrypted identity token',
    variant: {
      client: { id_token_encrypted_response_alg: 'dir', id_token_encrypted_response_enc: 'A128CBC-HS256' },
      configuration: { features: { ...withoutForms, encryption: { enabled: true } } },
    },
    comes: 'sso-encrypted',
  },
  {
    name: 'HS256',
    variant: {
      client: { id_token_signed_response_alg: 'HS256' },
      configuration: { enabledJWA: { idTokenSigningAlgValues: ['HS256', 'RS256'] } },
    },
    comes: 'sso-algorithm',
  },
  { name: 'another secret', variant: {}, settings: { OIDC_CLIENT_SECRET: 'another' }, comes: 'sso-client' },
  {
    name: 'another issuer',
    variant: { answers: describes(200, '{"issuer":"https://login.example.net/realms/b"}') },
    comes: 'sso-issuer',
  },
  {
    name: 'no provider there',
    variant: { answers: describes(404, 'Not found', 'text/plain') },
    comes: 'sso-issuer',
  },
  {
    name: 'out of order',
    variant: { answers: describes(503, '', 'text/plain') },
    comes: 'sso-provider-down',
  },
]

/** The function takes a browser through the provider, and answers the query that it brings back. */
export type Visit = (url: string) => Promise<string>

/** A walk is one browser at Rampart. Its caller does the provider’s part. */
export class Walk {
  readonly #server: NextServer
  readonly #jar = new Map<string, string>()

  constructor(server: NextServer) {
    this.#server = server
  }

  /** The request comes from this browser, which keeps cookies and follows no redirect by itself. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { origin: this.#server.url, ...init.headers, cookie }
    const answer = await fetch(this.#server.url + path, { redirect: 'manual', ...init, headers })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    return answer
  }

  /** The result is the address at the provider, or the text that the page then shows. */
  async press(form: Readonly<Record<string, unknown>>): Promise<URL | string> {
    if (this.#jar.size === 0) await (await this.ask('/sign-in')).body?.cancel()
    const answer = await this.ask('/sign-in', {
      method: 'POST',
      headers: {
        'next-action': actionId('beginSingleSignOnAction'),
        'content-type': 'text/plain;charset=UTF-8',
      },
      body: JSON.stringify([form]),
    })
    const text = await answer.text()
    const [, url] = /"url":"([^"]+)"/.exec(text) ?? []
    return url === undefined ? text : new URL(JSON.parse(`"${url}"`))
  }

  /**
   * The walk goes through the provider, which may be asked a second time. The result is where Rampart leads, or the button's
   * text.
   */
  async signIn(visit: Visit, form: Readonly<Record<string, unknown>>): Promise<string> {
    const at = await this.press(form)
    if (typeof at === 'string') return at
    const led = await this.comeBack(await visit(at.href))
    return led.startsWith('/') ? led : this.comeBack(await visit(led))
  }

  /** The browser comes back from the provider. The result is where Rampart leads. */
  async comeBack(search: string): Promise<string> {
    const answer = await this.ask(`/api/single-sign-on/callback${search}`)
    await answer.body?.cancel()
    return answer.headers.get('location') ?? `status ${answer.status}`
  }

  /** The browser signs out. The result is the address at the provider, or empty. */
  async signOut(): Promise<string> {
    const answer = await this.ask('/api/sign-out', { method: 'POST' })
    const [, url = ''] = /; url=([^"]+)">/.exec(await answer.text()) ?? []
    return url.replaceAll('&amp;', '&')
  }

  async isSignedIn(): Promise<boolean> {
    const answer = await this.ask('/api/session')
    return StateSchema.parse(await answer.json()).state === 'active'
  }

  async words(path: string): Promise<string> {
    return (await this.ask(path)).text()
  }
}

const StateSchema = z.object({ state: z.string() })
const ManifestSchema = z.object({ node: z.record(z.string(), z.object({ exportedName: z.string() })) })

function actionId(name: string): string {
  const manifest = fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')
  const actions = Object.entries(ManifestSchema.parse(JSON.parse(manifest)).node)
  const [id] = actions.find(([, { exportedName }]) => exportedName === name) ?? []
  if (id === undefined) throw new Error(`The build has no action ${name}`)
  return id
}
