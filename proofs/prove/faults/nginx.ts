import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { build } from '../../../bin/build.ts'
import { readSecrets } from '../../../bin/data-directory.ts'
import { librariesOf, unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { findPostgres, freePort } from '../../../bin/postgres.ts'
import { makeAuthority } from '../../../test/certificates.ts'
import { removeData, startRampart, stopRampart } from './sigterm.ts'
import { CannotRunHere, type FaultTest, sleep } from './test-bed.ts'

/** The caller's address is one of this machine and differs from the proxy's, so that the two can be told apart. */
const browser = '127.0.0.2'

/**
 * Rampart runs behind a real nginx with HTTPS. Cookies are bound to the host and to HTTPS, every answer has HSTS, and the
 * caller's address is the one that nginx saw, whatever the caller claims.
 */
export const nginx: FaultTest = async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-nginx-'))
  fs.chmodSync(folder, 0o711)
  const [port, sandboxPort, tlsPort] = [await freePort(), await freePort(), await freePort()]
  const variables = {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    PUBLIC_URL: `https://localhost:${tlsPort}`,
    RAMPART_DATA_DIR: path.join(folder, 'data'),
    // The setting leaves out the rest of loopback, because the browser of this proof is there as well.
    TRUSTED_PROXIES: '127.0.0.1',
  }
  let proxy: ChildProcess | undefined
  try {
    const program = await findNginx()
    await build({ logs: folder, say: console.log, signal: new AbortController().signal })
    const ca = configure(folder, port, tlsPort)
    proxy = spawn(program.path, ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
      env: { ...process.env, ...program.libraries },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const rampart = startRampart(variables)
    try {
      await rampart.ready
      const ask = (how: Asked) => exchange(tlsPort, ca, how)
      const cookies = await checkCookies(ask)
      await checkHeaders(ask)
      await checkAddress(ask, cookies, variables.RAMPART_DATA_DIR)
    } finally {
      await stopRampart(rampart, variables)
    }
    return `cookies bound to HTTPS, HSTS on every answer, a caller known as ${browser} who said otherwise`
  } finally {
    if (proxy?.kill('SIGTERM')) await once(proxy, 'exit')
    removeData(variables.RAMPART_DATA_DIR)
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function findNginx() {
  const installed = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((file) => fs.existsSync(file))
  if (installed) return { path: installed, libraries: {} }
  const packages = await unpackDebianPackages('nginx')
  if (!packages) throw new CannotRunHere('needs nginx, installed or fetched by apt')
  return {
    path: path.join(packages, 'usr/sbin/nginx'),
    libraries: { LD_LIBRARY_PATH: librariesOf(packages) },
  }
}

/** The function writes nginx's files, and answers the authority of its certificate. */
function configure(folder: string, port: number, tlsPort: number): string {
  const authority = makeAuthority()
  const { key, cert } = authority.certify('localhost')
  fs.writeFileSync(path.join(folder, 'key.pem'), key, { mode: 0o600 })
  fs.writeFileSync(path.join(folder, 'cert.pem'), cert)
  for (const name of ['body', 'proxy', 'other']) fs.mkdirSync(path.join(folder, name))
  fs.writeFileSync(
    path.join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/other;
  uwsgi_temp_path ${folder}/other;
  scgi_temp_path ${folder}/other;
  server {
    listen 127.0.0.1:${tlsPort} ssl;
    server_name localhost;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    client_max_body_size 2m;
    location / {
      proxy_pass http://127.0.0.1:${port};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
    }
  }
}
`,
  )
  return authority.cert
}

interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

type Ask = (how: Asked) => Promise<Answer>

/** The request has the form of those from the dashboard's own pages. */
function exchange(port: number, ca: string, { path: to, method = 'GET', headers: more, body }: Asked) {
  const headers = { origin: `https://localhost:${port}`, ...more }
  return new Promise<Answer>((resolve, reject) => {
    const request = https.request(
      { port, host: 'localhost', localAddress: browser, family: 4, path: to, method, headers, ca },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** The result is the cookies as a browser would send them. */
async function checkCookies(ask: Ask): Promise<string> {
  const { headers } = await ask({ path: '/api/auth/csrf' })
  const set = headers['set-cookie'] ?? []
  if (set.length === 0) throw new Error('No cookie was set')
  for (const cookie of set)
    for (const wanted of [/^__Host-/, /; Secure/i, /; HttpOnly/i, /; Path=\//i, /; SameSite=Lax/i])
      if (!wanted.test(cookie)) throw new Error(`A cookie lacks ${wanted}: ${cookie.split('=')[0]}`)
  return set.map((cookie) => cookie.split(';')[0]).join('; ')
}

async function checkHeaders(ask: Ask) {
  const paths = [
    '/sign-in',
    '/nothing-here',
    '/icon.svg',
    '/api/live',
    '/api/webhooks/nobody',
    '/api/session',
  ]
  for (const to of paths)
    for (const method of ['GET', 'POST']) {
      const { headers } = await ask({ path: to, method })
      if (!/^max-age=\d{8}/.test(String(headers['strict-transport-security'])))
        throw new Error(`${method} ${to} does not say HSTS`)
      if (!String(headers['content-security-policy']).includes("frame-ancestors 'none'"))
        throw new Error(`${method} ${to} can be framed`)
    }
}

/** The audit has a refused sign-in with the caller's address. */
async function checkAddress(ask: Ask, cookie: string, dataDir: string) {
  const csrfToken = String(
    JSON.parse((await ask({ path: '/api/auth/csrf', headers: { cookie } })).text).csrfToken,
  )
  await ask({
    path: '/api/auth/callback/code',
    method: 'POST',
    headers: {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': '6.6.6.6',
    },
    body: new URLSearchParams({
      email: 'nobody@demo.test',
      code: '000000',
      csrfToken,
      json: 'true',
    }).toString(),
  })
  const password = readSecrets(dataDir)?.postgresPassword ?? ''
  const address = findPostgres(path.join(dataDir, 'postgres'), password)
  const client = new pg.Client({ connectionString: address?.('rampart') })
  await client.connect()
  try {
    for (let tries = 0; tries < 50; tries++) {
      const { rows } = await client.query<{ ip: string }>(
        `SELECT ip FROM audit WHERE action = 'session.start' AND outcome = 'refused'`,
      )
      if (rows.length > 0 && rows.every(({ ip }) => ip === browser)) return
      if (rows.length > 0) throw new Error(`The audit has the caller as ${rows[0]?.ip}`)
      await sleep(100)
    }
    throw new Error('The audit has no refused sign-in')
  } finally {
    await client.end()
  }
}
