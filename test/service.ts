import { type ChildProcess, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { vi } from 'vitest'
import { z } from 'zod'
import { setAnswerWait } from '#lib/sign-in/even-time.ts'
import { freePort } from '../bin/postgres.ts'
import { createEmptyDatabase, createTestDatabase } from './postgres.ts'

/** A request to the service, such as `PATCH /merchant/webhook-endpoints/…/secret`. */
export type Match = (route: string) => boolean

/**
 * The dashboard's configuration for a test: a database of its own, and the real service as a process of its own
 * behind a proxy that can lose what it answers.
 */
export async function startService(settings: Record<string, string> = {}) {
  const [database, theirs] = [await createTestDatabase(), await createEmptyDatabase()]
  const apiKey = crypto.randomUUID()
  const { proxy, child, port } = await startSandboxBehindProxy({
    SANDBOX_DATABASE_URL: theirs.url,
    SANDBOX_API_KEY: apiKey,
    ...settings,
  })
  const baseUrl = baseUrlOf(proxy)
  const sandboxUrl = `http://localhost:${port}`
  configure({
    DATABASE_URL: database.url,
    SERVICE_BASE_URL: baseUrl,
    SERVICE_API_KEY: apiKey,
    RAMPART_SANDBOX_URL: sandboxUrl,
  })
  /** The control interface of the service: reads, or with a body does. */
  const control = async (path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {}
    return (await fetch(`${sandboxUrl}/_sandbox${path}`, init)).json()
  }
  return {
    ...proxy,
    baseUrl,
    apiKey,
    control,
    /** The codes mailed to an address, oldest first. */
    async codes(email: string): Promise<string[]> {
      const mail = MailSchema.parse(await control(`/mailbox?email=${encodeURIComponent(email)}`))
      return mail.map(({ code }) => code)
    },
    async stop() {
      await proxy.stop()
      await end(child)
      await globalThis.rampartPrisma?.$disconnect()
      await globalThis.rampartPool?.end()
      await database.drop()
      await theirs.drop()
    },
  }
}

type Proxy = Awaited<ReturnType<typeof startProxy>>

const baseUrlOf = ({ port }: Proxy) => `http://localhost:${port}/onboarding`

/** A port that was free may be taken by another test before the sandbox listens: then another is tried. */
async function startSandboxBehindProxy(settings: Record<string, string>, tries = 3) {
  const port = await freePort()
  const proxy = await startProxy(port)
  const child = spawn(process.execPath, ['sandbox/main.ts'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'test',
      SANDBOX_PORT: String(port),
      SANDBOX_PUBLIC_URL: baseUrlOf(proxy),
      SANDBOX_LOG_LEVEL: 'silent',
      ...settings,
    },
  })
  const ready = await Promise.race([
    once(child, 'message').then(() => true),
    once(child, 'exit').then(() => false),
  ])
  if (ready) return { proxy, child, port }
  await proxy.stop()
  if (tries === 1) throw new Error('The sandbox ended before it was ready')
  return startSandboxBehindProxy(settings, tries - 1)
}

export type TestService = Awaited<ReturnType<typeof startService>>

/** Everything that `env()` wants, with these settings, and answers as soon as they are there. Call it first. */
export function configure(settings: Record<string, string> = {}) {
  const usual = {
    PUBLIC_URL: 'http://localhost:3000',
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
    SERVICE_BASE_URL: 'http://localhost:1/onboarding',
    SERVICE_API_KEY: 'no-key',
    // Tests sign staff in by code, as the demo does.
    STAFF_SIGN_IN: 'any',
    NEXTAUTH_SECRET: 'a secret of at least thirty-two characters',
    RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
  }
  for (const [name, value] of Object.entries({ ...usual, ...settings })) vi.stubEnv(name, value)
  setAnswerWait(false)
}

/** The work, done while answers wait for their time as they do in production. */
export async function inRealTime<T>(work: () => Promise<T>): Promise<T> {
  setAnswerWait(true)
  try {
    return await work()
  } finally {
    setAnswerWait(false)
  }
}

const MailSchema = z.array(z.object({ code: z.string() }))

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

interface Rule {
  readonly match: Match
  readonly outcome: 'lose' | 'drop' | number
  // biome-ignore lint/plugin: counts down with each answer
  left: number
  readonly after?: number
  readonly then?: (() => unknown) | undefined
}

async function startProxy(target: number) {
  const seen: string[] = []
  const rules: Rule[] = []
  const server = http.createServer((request, response) => {
    const path = request.url?.replace(/^\/onboarding/, '') ?? ''
    const route = `${request.method} ${path}`
    seen.push(route)
    const rule = rules.find(({ match, left }) => left > 0 && match(route))
    if (rule) rule.left -= 1
    if (typeof rule?.outcome === 'number') {
      const { outcome, after = 0 } = rule
      request.resume()
      setTimeout(() => response.writeHead(outcome).end(), after)
      return
    }
    if (rule?.outcome === 'drop') {
      rule.then?.()
      request.socket.destroy()
      return
    }
    const { method, headers, url } = request
    const onward = http.request(
      { port: target, host: 'localhost', path: url, method, headers },
      async (answer) => {
        // The request has taken effect, but its answer is dropped.
        if (rule?.outcome === 'lose') {
          await rule.then?.()
          response.socket?.destroy()
        } else answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
      },
    )
    onward.on('error', () => response.socket?.destroy())
    request.pipe(onward)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /** Every route asked for, in order. */
    seen,
    /** The service does what it is asked, and its answer is lost on the way; `then` is called, and awaited, before. */
    loseAnswer: (match: Match, times = 1, then?: () => unknown) =>
      void rules.push({ match, outcome: 'lose', left: times, then }),
    /** The connection breaks before the service hears of it; `then` is called at that moment. */
    dropCall: (match: Match, times = 1, then?: () => void) =>
      void rules.push({ match, outcome: 'drop', left: times, then }),
    /** The service is never asked; `status` is the answer, `after` so many milliseconds. */
    answerWith: (status: number, match: Match, times = 1, after = 0) =>
      void rules.push({ match, outcome: status, left: times, after }),
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Makes a user of whom the dashboard knows nothing; `more`: fields of `POST /user`. Answers the uuid. */
export async function addUserToService(service: TestService, more: object = {}): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/user`, {
    method: 'POST',
    headers: { authorization: service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `${crypto.randomUUID()}@demo.test`,
      first_name: 'Ana',
      last_name: 'Lima',
      country: 'ES',
      ...more,
    }),
  })
  return z.object({ user_uuid: z.string() }).parse(await answer.json()).user_uuid
}
