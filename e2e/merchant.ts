import { type ChildProcess, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import path from 'node:path'
import readline from 'node:readline'
import { freePort } from '../bin/postgres.ts'
import { startTemporaryPostgres } from '../bin/temporary-postgres.ts'
import { type Certified, makeAuthority } from '../test/certificates.ts'
import { clientId, clientSecret, startIdentityProvider } from '../test/identity-provider.ts'

export type Merchant = Awaited<ReturnType<typeof startMerchant>>

/**
 * A merchant's first day starts Rampart as `npm start` does, with an empty database, behind HTTPS, with a service that is
 * not its own sandbox, and with an OpenID Connect provider. `stop` ends all. Where the browser opens no HTTPS,
 * http://localhost is secure enough for passkeys.
 */
export async function startMerchant(opensHttps: (url: string) => Promise<boolean>) {
  const port = await freePort()
  const authority = makeAuthority()
  const proxy = await startHttps(authority.certify('localhost'), port)
  const url = (await opensHttps(proxy.url)) ? proxy.url : `http://localhost:${port}`
  const apiKey = crypto.randomUUID()
  const databases = await startTemporaryPostgres('merchant')
  const trusted = path.join(databases.folder, 'authority.pem')
  fs.writeFileSync(trusted, authority.cert)
  const service = await startService(apiKey, await databases.create('service'), trusted)
  const provider = await startIdentityProvider(
    await freePort(),
    new URL('/api/single-sign-on/callback', url).href,
  )
  const rampart = await startRampart({
    PORT: String(port),
    PUBLIC_URL: url,
    NODE_EXTRA_CA_CERTS: trusted,
    RAMPART_DATA_DIR: path.join(databases.folder, 'data'),
    SERVICE_BASE_URL: `${service.url}/onboarding`,
    SERVICE_API_KEY: apiKey,
    NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
    RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  })
  return {
    url,
    setUpLink: rampart.setUpLink,
    provider,
    control: service.control,
    /** The function creates a user directly at the service, without Rampart, and answers the `user_uuid`. */
    createUser: service.createUser,
    async stop() {
      await end(rampart.child)
      proxy.stop()
      await provider.stop()
      await end(service.child)
      await databases.stop()
    },
  }
}

/** A public Rampart has such a proxy in front, which takes HTTPS and passes it on. */
async function startHttps(certified: Certified, port: number) {
  // Rampart's promise to keep an idle connection open is passed on with its headers.
  const patience = { keepAliveTimeout: 620_000 }
  const server = https.createServer({ ...certified, ...patience }, (request, answer) => {
    const { method = 'GET', url: path = '/', headers, socket } = request
    const passed = { ...headers, 'x-forwarded-for': socket.remoteAddress, 'x-forwarded-proto': 'https' }
    const onward = http.request({ port, host: 'localhost', method, path, headers: passed }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  const secure = await freePort()
  server.listen(secure, 'localhost')
  await once(server, 'listening')
  return {
    url: `https://localhost:${secure}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function startService(apiKey: string, databaseUrl: string, trusted: string) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, ['--import', './bin/hooks.mjs', 'sandbox/main.ts'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      SANDBOX_PORT: String(port),
      SANDBOX_DATABASE_URL: databaseUrl,
      SANDBOX_API_KEY: apiKey,
      SANDBOX_LOG_LEVEL: 'silent',
      NODE_EXTRA_CA_CERTS: trusted,
    },
  })
  await once(child, 'message')
  /** A call to the control interface reads, or changes something when it has a body. */
  const control = async <T>(call: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {}
    const answer = await fetch(`${url}/_sandbox/${call}`, init)
    if (!answer.ok) throw new Error(`/_sandbox/${call} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const createUser = async (email: string, first_name: string, last_name: string): Promise<string> => {
    const answer = await fetch(`${url}/onboarding/user`, {
      method: 'POST',
      headers: { authorization: apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, first_name, last_name, country: 'ES' }),
    })
    if (!answer.ok) throw new Error(`POST /user answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()).user_uuid
  }
  return { url, child, control, createUser }
}

async function startRampart(variables: Record<string, string>) {
  const child = spawn(process.execPath, ['bin/start.mjs'], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let setUpLink = ''
  for await (const line of readline.createInterface({ input: child.stdout })) {
    setUpLink = /\S+\/set-up#\S+/.exec(line)?.[0] ?? setUpLink
    if (line.startsWith('ready ')) return { child, setUpLink }
  }
  throw new Error(`npm start ended with ${child.exitCode}`)
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
