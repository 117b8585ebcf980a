import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { runMigrations } from 'graphile-worker'
import { createCopy, createEmptyDatabase } from '../../test/postgres.ts'
import { migrate, openPool } from '../database/pool.ts'
import { readEnv } from '../env.ts'
import { startSandbox } from '../start.ts'
import { type AnswerCheck, createAnswerCheck } from './check-answer.ts'

export const apiKey = 'sandbox-test-key'

let migrated: Promise<string> | undefined

/** The database has all of the sandbox's migrations. A process applies them once, because they take most of a start. */
export async function createSandboxDatabase() {
  migrated ??= migrateOne()
  return createCopy(await migrated)
}

async function migrateOne() {
  const { url } = await createEmptyDatabase()
  const pool = openPool(url)
  await migrate(pool)
  await runMigrations({ pgPool: pool })
  await pool.end()
  return new URL(url).pathname.slice(1)
}

/** A whole sandbox runs on its own database, and tests call it over HTTP. */
export async function startTestSandbox(
  settings: Record<string, string> = {},
  mail?: Parameters<typeof startSandbox>[1],
) {
  const database = await createSandboxDatabase()
  const running = await startSandbox(readEnv(testVariables(database.url, settings)), mail)
  return {
    ...createTestCaller(running.port),
    publicUrl: running.publicUrl,
    databaseUrl: database.url,
    async stop() {
      await running.stop()
      await database.drop()
    },
  }
}

export const testVariables = (databaseUrl: string, settings: Record<string, string> = {}) => ({
  NODE_ENV: 'test' as const,
  SANDBOX_PORT: '0',
  SANDBOX_DATABASE_URL: databaseUrl,
  SANDBOX_API_KEY: apiKey,
  SANDBOX_LOG_LEVEL: 'silent',
  ...settings,
})

export interface TestAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come
  readonly body: any
  readonly headers: Headers
}

export type TestCaller = ReturnType<typeof createTestCaller>

const knownChecks = new Map<string, AnswerCheck>()

/** Sandboxes whose documents differ by their port alone share a check, because compiling its schemas takes long. */
async function checkOf(origin: string, name: string): Promise<AnswerCheck> {
  const document = await (await fetch(`${origin}/${name}.json`)).text()
  const key = document.replaceAll(origin, '')
  const check = knownChecks.get(key) ?? createAnswerCheck(JSON.parse(document))
  knownChecks.set(key, check)
  return check
}

/** @param namespace the key of a namespace; the sandbox itself without one */
export function createTestCaller(port: number, namespace?: string) {
  const origin = `http://localhost:${port}`
  let checks: AnswerCheck[] | undefined
  /** Every answer must be one that the sandbox's own documents have. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const { status, headers: answered } = response
    checks ??= await Promise.all(['openapi', 'openapi-controls'].map((name) => checkOf(origin, name)))
    for (const check of checks) check(method, path, { status, headers: answered, text })
    const json = response.headers.get('content-type')?.startsWith('application/json')
    return { status, body: json ? JSON.parse(text) : text, headers: answered }
  }
  const service = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(method, `/onboarding${path}`, body, { Authorization: namespace ?? apiKey, ...headers })
  const control = (method: string, path: string, body?: unknown) =>
    call(method, `/_sandbox${path}`, body, namespace ? { Authorization: namespace } : {})
  return {
    port,
    origin,
    call,
    service,
    control,
    async createUser(fields: Record<string, string> = {}): Promise<string> {
      const user = {
        email: `u${crypto.randomUUID()}@demo.test`,
        first_name: 'Ana',
        last_name: 'Ruiz',
        country: 'ES',
      }
      return (await service('POST', '/user', { ...user, ...fields })).body.user_uuid
    },
    async createEndpoint(
      url: string,
      fields: Record<string, unknown> = {},
    ): Promise<{ uuid: string; secret: string }> {
      const { body } = await service('POST', '/merchant/webhook-endpoints', {
        url,
        description: 'Test',
        ...fields,
      })
      return { uuid: body.uuid, secret: body.signing_secret }
    },
    async lastCode(email: string): Promise<string> {
      return (await control('GET', `/mailbox?email=${encodeURIComponent(email)}`)).body.at(-1).code
    },
  }
}

export interface TestReceived {
  readonly headers: http.IncomingHttpHeaders
  readonly rawHeaders: string[]
  readonly body: string
  readonly at: number
}

/** The receiver is a real server. `answer` chooses the status of each request; `undefined` leaves it without an answer. */
export async function startTestReceiver(
  answer: (received: TestReceived, count: number) => number | undefined = () => 200,
) {
  const received: TestReceived[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const delivery = { headers: request.headers, rawHeaders: request.rawHeaders, body, at: Date.now() }
    received.push(delivery)
    const status = answer(delivery, received.length)
    if (status === undefined) return
    response.writeHead(status, status === 302 ? { Location: '/elsewhere' } : {}).end('noted')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    url: `http://127.0.0.1:${port}/hook`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The function waits until `ready` answers something truthy, and answers that. */
export async function until<Value>(
  ready: () => Value | false | undefined | Promise<Value | false | undefined>,
  what: string,
  ms = 15_000,
): Promise<Value> {
  const deadline = Date.now() + ms
  while (Date.now() < deadline) {
    const value = await ready()
    if (value) return value
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`Waited ${ms} ms for ${what}`)
}
