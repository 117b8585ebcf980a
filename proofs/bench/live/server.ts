import { type ChildProcess, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { freePort } from '../../../bin/postgres.ts'
import { applyMigrations } from '../../../lib/platform/db/migrate.ts'
import { toKeys } from '../../../lib/platform/env.ts'
import { digestToken, randomToken, secretDigester } from '../../../lib/platform/keys/digests-and-seals.ts'
import { cpuMsOf } from '../processes/processes.ts'

/** `server.ts` runs as in production, on a new database of its own and with a projector beside it. */
export interface BenchServer {
  readonly port: number
  /**
   * The result is the processor time in milliseconds of the answering process, the process of the streams, and the
   * projector.
   */
  cpu(): Promise<{ readonly answering: number; readonly streams: number; readonly projector: number }>
  /** The result is the path and the secret of a receiver. */
  addReceiver(): Promise<{ readonly path: string; readonly secret: string }>
  /** The result is the cookies of this many members of staff, each with a session. */
  signIn(people: number): Promise<string[]>
  stop(): Promise<void>
}

export async function startServer(url: string): Promise<BenchServer> {
  await applyMigrations(url)
  const port = await freePort()
  const keys = `bench:${crypto.randomBytes(32).toString('base64')}`
  const secret = crypto.randomBytes(32).toString('hex')
  const env = {
    ...process.env,
    NODE_ENV: 'production' as const,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    NEXTAUTH_URL: `http://localhost:${port}`,
    NEXTAUTH_SECRET: secret,
    RAMPART_KEYS: keys,
    DATABASE_URL: url,
    // No server answers at this address, because the watcher's requests to the service are not measured.
    SERVICE_BASE_URL: 'http://localhost:9/onboarding',
    SERVICE_API_KEY: 'none',
  }
  const start = (...words: string[]) =>
    spawn(process.execPath, ['--import', './bin/hooks.mjs', ...words], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env,
    })
  const child = start('--import', path.join(import.meta.dirname, 'cpu.ts'), 'server.ts')
  await nextMessage(child, 'ready')
  const projector = start('projector.ts')
  await nextMessage(projector, 'ready')
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  return {
    port,
    async cpu() {
      const answer = nextMessage(child, 'cpu')
      child.send('cpu')
      return {
        answering: Number((await answer).ms),
        streams: cpuMsOf(childrenOf(child.pid ?? 0)),
        projector: cpuMsOf([String(projector.pid)]),
      }
    },
    async addReceiver() {
      const id = crypto.randomUUID()
      const { digest, keyId } = secretDigester(toKeys(keys)).digest('whsec-bench')
      await pool.query(
        `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
        [id, digest, keyId],
      )
      return { path: `/api/webhooks/${id}`, secret: 'whsec-bench' }
    },
    async signIn(people) {
      const all = Array.from({ length: people }, () => ({ user: crypto.randomUUID(), token: randomToken() }))
      const users = all.map(({ user }) => user)
      await pool.query(MEMBERS, [users])
      await pool.query(SESSIONS, [users, all.map(({ token }) => digestToken(token))])
      return Promise.all(
        all.map(async ({ token }) => `rampart-${port}.session=${await encode({ token: { token }, secret })}`),
      )
    },
    async stop() {
      await pool.end()
      await Promise.all([child, projector].map(endInOrder))
    },
  }
}

const childrenOf = (parent: number) =>
  fs.readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')

async function endInOrder(child: ChildProcess) {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exited
}

const MEMBERS = `
  INSERT INTO member (id, user_uuid, name, role)
  SELECT gen_random_uuid(), person, 'Viewer', 'support' FROM unnest($1::uuid[]) AS person`

const SESSIONS = `
  INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
  SELECT gen_random_uuid(), token, person, 'passkey', 'support', now() + interval '1 hour', now() + interval '1 hour'
  FROM unnest($1::uuid[], $2::bytea[]) AS s (person, token)`

const nextMessage = (child: ChildProcess, kind: string) =>
  new Promise<{ ms?: unknown }>((resolve, reject) => {
    const onMessage = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !('kind' in message)) return
      if (message.kind === 'failed')
        return reject(new Error(`The server did not start: ${JSON.stringify(message)}`))
      if (message.kind !== kind) return
      child.off('message', onMessage)
      child.off('exit', onExit)
      resolve('ms' in message ? { ms: message.ms } : {})
    }
    const onExit = (code: number | null) => reject(new Error(`The server ended with ${code}`))
    child.on('message', onMessage)
    child.once('exit', onExit)
  })
