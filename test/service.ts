import crypto from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { inject, vi } from 'vitest'
import { z } from 'zod'
import { writeDenied } from '../lib/identity/sessions/denied-requests.ts'
import { setAnswerWait } from '../lib/identity/sign-in/code-limits.ts'
import { pool } from '../lib/platform/db/pool.ts'
import { createTestDatabase } from './postgres.ts'
import { TestSandboxSchema } from './sandboxes.ts'

/** A request to the service looks like `PATCH /merchant/webhook-endpoints/…/secret`. */
export type Match = (route: string) => boolean

/**
 * The test gets the dashboard's configuration, its own database and the real service. The service is an empty process behind
 * a proxy that can lose its answers.
 */
export async function startService(settings: Record<string, string> = {}) {
  const database = await createTestDatabase()
  const { proxy, sandbox } = await takeSandboxBehindProxy(settings)
  const { apiKey } = sandbox
  const baseUrl = `http://localhost:${sandbox.proxyPort}/onboarding`
  const sandboxUrl = `http://localhost:${sandbox.port}`
  configure({
    DATABASE_URL: database.url,
    SERVICE_BASE_URL: baseUrl,
    SERVICE_API_KEY: apiKey,
    RAMPART_SANDBOX_URL: sandboxUrl,
  })
  /** A call to the service's control interface reads, or changes something when it has a body. */
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
    /** The codes mailed to an address are listed oldest first. */
    async codes(email: string): Promise<string[]> {
      const mail = MailSchema.parse(await control(`/mailbox?email=${encodeURIComponent(email)}`))
      return mail.map(({ code }) => code)
    },
    async stop() {
      await proxy.stop()
      const reset = await fetch(`${sandboxUrl}/_sandbox/reset`, { method: 'POST' })
      if (reset.ok) await askSandboxes('give', sandbox.port)
      await endPools()
      await database.drop()
    },
  }
}

/** The end is that of the server: pending writes first, then the connections. */
export async function endPools() {
  if (globalThis.rampartPool) await writeDenied(globalThis.rampartPool)
  await globalThis.rampartPrisma?.$disconnect()
  await globalThis.rampartPoolByIndex?.end()
  await globalThis.rampartPool?.end()
}

async function askSandboxes(what: 'take' | 'give', body: unknown): Promise<string> {
  const answer = await fetch(`${inject('sandboxesUrl')}/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.text()
}

/** Another process may take the proxy's port between two test files, and then another sandbox is used. */
async function takeSandboxBehindProxy(settings: Record<string, string>, tries = 3) {
  const sandbox = TestSandboxSchema.parse(JSON.parse(await askSandboxes('take', settings)))
  try {
    return { sandbox, proxy: await startProxy(sandbox) }
  } catch (error) {
    if (!isTaken(error) || tries === 1) throw error
    return takeSandboxBehindProxy(settings, tries - 1)
  }
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

export type TestService = Awaited<ReturnType<typeof startService>>

/** The settings complete what `env()` needs. Answers of the service come at once. */
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
  globalThis.rampartEnv = undefined
  setAnswerWait(false)
}

/** The state is that after a restart with a new `NEXTAUTH_SECRET` before the existing one. */
export function addSecret() {
  const secrets = [crypto.randomBytes(32).toString('base64'), process.env.NEXTAUTH_SECRET]
  vi.stubEnv('NEXTAUTH_SECRET', secrets.join(','))
  globalThis.rampartEnv = undefined
}

/** The work runs while answers wait, and are late, as in production. */
export async function inRealTime<T>(work: () => Promise<T>): Promise<T> {
  setAnswerWait(true)
  try {
    return await work()
  } finally {
    setAnswerWait(false)
  }
}

/**
 * The work runs in real time. The result is its outcome, and the ms by which this machine was late at most; a
 * limit is longer by that.
 */
export async function inMeasuredTime<T>(
  work: () => Promise<T>,
): Promise<readonly [outcome: T, late: number]> {
  let [late, ended] = [0, false]
  const watch = async () => {
    while (!ended) {
      const from = performance.now()
      await pause(20)
      await pool().query('SELECT')
      late = Math.max(late, performance.now() - from - 20)
    }
  }
  const watched = watch()
  const outcome = await inRealTime(work).finally(() => {
    ended = true
  })
  await watched
  return [outcome, late]
}

const MailSchema = z.array(z.object({ code: z.string() }))

interface Rule {
  readonly match: Match
  readonly outcome: 'lose' | 'drop' | 'delay' | number
  // biome-ignore lint/plugin: counts down with each answer
  left: number
  readonly after?: number
  readonly then?: (() => unknown) | undefined
}

async function startProxy({ port, proxyPort }: { readonly port: number; readonly proxyPort: number }) {
  const seen: string[] = []
  const rules: Rule[] = []
  // The service's promise to keep an idle connection open is passed on with its headers.
  const server = http.createServer({ keepAliveTimeout: 620_000 }, (request, response) => {
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
    const onward = http.request({ port, host: 'localhost', path: url, method, headers }, async (answer) => {
      // The request has taken effect, but its answer is dropped.
      if (typeof rule?.outcome === 'string') await rule.then?.()
      if (rule?.outcome === 'lose') response.socket?.destroy()
      else answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
    })
    onward.on('error', () => response.socket?.destroy())
    request.pipe(onward)
  })
  server.listen(proxyPort, 'localhost')
  await once(server, 'listening')
  return {
    port: proxyPort,
    /** The requested routes are listed in order. */
    seen,
    /** The service does what it is asked, and its answer is lost on the way. `then` is called, and awaited, before. */
    loseAnswer: (match: Match, times = 1, then?: () => unknown) =>
      void rules.push({ match, outcome: 'lose', left: times, then }),
    /** The service does what it is asked, and its answer comes after `then`. */
    delayAnswer: (match: Match, then: () => unknown) =>
      void rules.push({ match, outcome: 'delay', left: 1, then }),
    /** The connection breaks before the service receives the request. `then` is called at that moment. */
    dropCall: (match: Match, times = 1, then?: () => void) =>
      void rules.push({ match, outcome: 'drop', left: times, then }),
    /** The service never gets the request. `status` is the answer, after `after` milliseconds. */
    answerWith: (status: number, match: Match, times = 1, after = 0) =>
      void rules.push({ match, outcome: status, left: times, after }),
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The function creates a user unknown to the dashboard and answers the uuid. `more` holds fields of `POST /user`. */
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
