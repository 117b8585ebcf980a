import { type ChildProcess, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import zlib from 'node:zlib'
import { freePort } from '../../../bin/postgres.ts'
import { signInMessages } from '../../../lib/identity/labels/sign-in-messages.ts'
import { startServer } from '../../../test/next-server.ts'
import type { TestBed } from '../faults/test-bed.ts'
import { Walk } from './variants.ts'

const program = '/usr/bin/glewlwyd'
const tables = '/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz'
const clientId = 'rampart'
/** The secret has the characters of many secrets, and some that Basic must encode. */
const clientSecret = 'a-b.c_d~e+f%g/h='

/** The function sets Debian’s Glewlwyd up by its interface, as an administrator does on its pages. */
export async function proveGlewlwyd(stage: TestBed): Promise<string> {
  if (!fs.existsSync(program) || !fs.existsSync(tables))
    return 'not tried, since it is not installed (apt-get install glewlwyd)'
  await stage.ask('TRUNCATE member, session, sso_attempt, rate_limit')
  const port = await freePort()
  const url = `http://localhost:${port}`
  const server = await startServer(stage.url, {
    OIDC_ISSUER: `${url}/api/oidc`,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLE_MAP: 'rampart-admins=admin,helpdesk=support',
  })
  const running = await start(stage.folder, url, port)
  try {
    await setUp(url, `${server.url}/api/single-sign-on/callback`)
    const walk = new Walk(server)
    const visit = (at: string) => new Visitor(url).visit(new URL(at))
    const led = await walk.signIn(visit, { next: '/team' })
    if (led !== '/signed-in?next=%2Fteam') throw new Error(`It led to ${led}`)
    // Glewlwyd refuses `max_age=0`. For `prompt=login` it reports that the person signed in at the time 0, which proves
    // nothing.
    const again = await walk.signIn(visit, { next: '/team', again: true })
    if (again !== '/sign-in?refused=sso-not-again&again=1&next=%2Fteam')
      throw new Error(`Again, it led to ${again}`)
    if (!(await walk.words(again)).includes(signInMessages['sso-not-again'].title))
      throw new Error('The page hides the refusal')
    if ((await walk.ask('/team')).status !== 200) throw new Error('The role did not come')
    const end = await walk.signOut()
    const said = await fetch(end, { redirect: 'manual' })
    if (said.status >= 400) throw new Error(`Its sign-out at ${end} answers ${said.status}`)
    return 'signed in, asked again and told that it proves nothing, signed out'
  } finally {
    const ended = once(running, 'exit')
    running.kill('SIGTERM')
    await ended
    await server.stop()
  }
}

async function start(folder: string, url: string, port: number): Promise<ChildProcess> {
  const file = path.join(folder, 'glewlwyd.db')
  const database = new DatabaseSync(file)
  database.exec(zlib.gunzipSync(fs.readFileSync(tables)).toString())
  database.close()
  const modules = '/usr/lib/glewlwyd'
  const settings = path.join(folder, 'glewlwyd.conf')
  fs.writeFileSync(
    settings,
    `port=${port}
external_url="${url}"
login_url="login.html"
api_prefix="api"
static_files_path="/usr/share/glewlwyd/webapp/"
log_mode="console"
log_level="ERROR"
cookie_domain="localhost"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${file}" };
`,
  )
  const child = spawn(program, [`--config-file=${settings}`], { stdio: ['ignore', 'inherit', 'inherit'] })
  const until = Date.now() + 20_000
  while (Date.now() < until && child.exitCode === null) {
    if (await fetch(url).catch(() => null)) return child
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Glewlwyd did not start: ${child.exitCode}`)
}

/** The set-up has a plugin for OpenID Connect, a client, and a person in a group. */
async function setUp(url: string, callback: string) {
  const admin = new Visitor(url)
  await admin.signIn('admin', 'password')
  const users = {
    'use-glewlwyd-connection': true,
    'data-format': { groups: { multiple: true, read: true, write: true } },
  }
  await admin.send('PUT', '/api/mod/user/database', {
    display_name: 'Database',
    order_rank: 0,
    parameters: users,
  })
  await admin.send('PUT', '/api/mod/user/database/reset/', {})
  const { privateKey, publicKey } = crypto.generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  await admin.send('POST', '/api/mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    parameters: {
      iss: `${url}/api/oidc`,
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      key: privateKey,
      cert: publicKey,
      'access-token-duration': 3600,
      'refresh-token-duration': 3600,
      'code-duration': 600,
      'allow-non-oidc': true,
      'auth-type-code-enabled': true,
      'jwks-show': true,
      'pkce-allowed': true,
      'session-management-allowed': true,
      'session-cookie-name': 'GLEWLWYD2_OIDC_SID',
      'session-cookie-expiration': 3600,
      'name-claim': 'mandatory',
      claims: [{ name: 'groups', 'user-property': 'groups', type: 'string', mandatory: true }],
    },
  })
  await admin.send('POST', '/api/client/', {
    client_id: clientId,
    name: 'Rampart',
    confidential: true,
    password: clientSecret,
    client_secret: clientSecret,
    redirect_uri: [callback],
    authorization_type: ['code'],
    token_endpoint_auth_method: ['client_secret_basic'],
    enabled: true,
  })
  await admin.send('POST', '/api/user/', {
    username: 'kim',
    name: 'Kim',
    password: 'a long password',
    scope: ['openid', 'g_profile'],
    groups: ['rampart-admins'],
    enabled: true,
  })
}

/** A visitor uses Glewlwyd's interface as its pages do. */
class Visitor {
  readonly #url: string
  #cookie = ''

  constructor(url: string) {
    this.#url = url
  }

  async send(method: string, where: string, body: unknown): Promise<void> {
    const answer = await fetch(this.#url + where, {
      method,
      headers: { 'content-type': 'application/json', cookie: this.#cookie },
      body: JSON.stringify(body),
    })
    const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0])
    if (cookies.length > 0) this.#cookie = cookies.join('; ')
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${await answer.text()}`)
  }

  signIn = (username: string, password: string) => this.send('POST', '/api/auth/', { username, password })

  /** The visitor signs in and agrees. The result is the query that the browser brings back. */
  async visit(at: URL): Promise<string> {
    await this.signIn('kim', 'a long password')
    await this.send('PUT', `/api/auth/grant/${clientId}`, { scope: 'openid' })
    const answer = await fetch(`${at.href}&g_continue`, {
      redirect: 'manual',
      headers: { cookie: this.#cookie },
    })
    const location = new URL(answer.headers.get('location') ?? this.#url)
    if (location.origin === this.#url)
      throw new Error(`Glewlwyd leads to ${location.href}: ${await answer.text()}`)
    return location.search
  }
}
