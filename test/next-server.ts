import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import { encode } from 'next-auth/jwt'
import type pg from 'pg'
import type { Role } from '#lib/access/rules/roles.ts'
import { digestToken, randomToken } from '#lib/platform/keys/digests-and-seals.ts'
import { freePort } from '../bin/postgres.ts'
import { testKey } from './ingest.ts'

export interface NextServer {
  readonly url: string
  readonly key: ReturnType<typeof testKey>
  /** Cookies of this server have such names. */
  cookieName(name: string): string
  /** The text is all that the server printed so far. */
  printed(): string
  /** The `Cookie` header belongs to somebody signed in with this role. */
  signIn(pool: pg.Pool, role: Role, userUuid?: string): Promise<string>
  stop(): Promise<void>
}

/** Next alone serves the pages, without `server.ts` before the routes. */
export const startNext = (databaseUrl: string) =>
  start(databaseUrl, (port) => ['node_modules/.bin/next', 'start', '-H', 'localhost', '-p', port])

/** `server.ts` serves the pages, as in production. */
export const startServer = (databaseUrl: string, settings: Record<string, string> = {}) =>
  start(databaseUrl, () => ['--import', './bin/hooks.mjs', 'server.ts'], settings)

async function start(
  databaseUrl: string,
  program: (port: string) => string[],
  settings: Record<string, string> = {},
): Promise<NextServer> {
  const key = testKey('k1')
  const nextauthSecret = crypto.randomBytes(32).toString('base64')
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  let printed = ''
  const next = spawn(process.execPath, program(port), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: port,
      PUBLIC_URL: url,
      DATABASE_URL: databaseUrl,
      SERVICE_BASE_URL: 'http://localhost:1/onboarding',
      SERVICE_API_KEY: 'no-key',
      NEXTAUTH_SECRET: nextauthSecret,
      RAMPART_KEYS: `${key.id}:${key.bytes.toString('base64')}`,
      ...settings,
    },
  })
  next.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  for (;;) {
    if (next.exitCode !== null)
      throw new Error(
        `It did not start; \`npm run test:build\` builds the pages first. ${printed.slice(-1_000)}`,
      )
    if (await fetch(url, { redirect: 'manual' }).catch(nullIfRefused)) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { protocol, port: publicPort } = new URL(settings.PUBLIC_URL ?? url)
  const installation = `${protocol === 'https:' ? '__Host-' : ''}rampart${publicPort === '' ? '' : `-${publicPort}`}`
  const cookieName = (name: string) => `${installation}.${name}`
  return {
    url,
    key,
    cookieName,
    printed: () => printed,
    async signIn(pool, role, userUuid = crypto.randomUUID()) {
      const token = randomToken()
      await pool.query(
        `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, now() + interval '1 hour', now() + interval '1 hour')`,
        [crypto.randomUUID(), digestToken(token), userUuid, role === 'end-user' ? 'code' : 'passkey', role],
      )
      if (role !== 'end-user')
        await pool.query(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'M', $3)`, [
          crypto.randomUUID(),
          userUuid,
          role,
        ])
      return `${cookieName('session')}=${await encode({ token: { token }, secret: nextauthSecret })}; ${cookieName('browser')}=b`
    },
    async stop() {
      const ended = once(next, 'exit')
      next.kill('SIGTERM')
      await ended
    },
  }
}

/** The server refuses connections until it is ready. */
function nullIfRefused(error: unknown): null {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED') return null
  throw error
}
