import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { childrenOf, isRunning } from '../proofs/prove/faults/process.ts'
import { addReceiver, testKey } from '../test/ingest.ts'
import { startPooler } from '../test/pooler.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'
import { findText } from './folders.ts'
import { freePort } from './postgres.ts'

// `npm run serve` keeps its processes running, and says what is wrong at its start. The processes are real.

const key = testKey('k1')
let folder: string
let database: TestDatabase
let pool: pg.Pool
let started: ChildProcess | undefined
let port: number
let output: string

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-serve-'))
  fs.writeFileSync(path.join(folder, 'fail.mjs'), fails)
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

async function begin() {
  database = await createTestDatabase()
  pool = openPool(database.url)
}

async function end() {
  if (started) await stop(started)
  started = undefined
  await pool.end()
  await database.drop()
}

/** Each process gets an error that nobody expects, at a signal. */
const fails = `
  process.on('SIGUSR2', () => { throw new Error('thrown for ana@example.com') })
  process.on('SIGWINCH', () => void Promise.reject(new Error('rejected for ana@example.com')))`

async function serve(settings: Record<string, string> = {}) {
  port = await freePort()
  output = ''
  started = spawn(process.execPath, ['bin/start.mjs', '--serve'], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_OPTIONS: `--import ${path.join(folder, 'fail.mjs')}`,
      RAMPART_DATA_DIR: path.join(folder, `data-${port}`),
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      PROJECTORS: '1',
      DATABASE_URL: database.url,
      SERVICE_BASE_URL: 'http://localhost:1/onboarding',
      SERVICE_API_KEY: 'no-key',
      NEXTAUTH_SECRET: 'n'.repeat(32),
      RAMPART_KEYS: `${key.id}:${key.bytes.toString('base64')}`,
      ...settings,
    },
  })
  for (const stream of [started.stdout, started.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(started, 'exit')
  const ready = async () => {
    while (!output.includes('\nready ')) await sleep(50)
  }
  await Promise.race([ready(), ended])
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** The process of this program that the supervisor has now. */
const findPid = (program: string) => started?.pid && findChild(started.pid, program)

const findChild = (parent: number, program: string) =>
  childrenOf(parent).find(({ words }) => words.at(-1)?.endsWith(program))?.pid

function pidOf(program: string): number {
  const pid = findPid(program)
  if (pid === undefined) throw new Error(`${program} does not run. ${output}`)
  return pid
}

const anotherThan = (pid: number, program: string) => () => {
  const now = findPid(program)
  return now !== undefined && now !== pid
}

const log = (name: string) => fs.readFileSync(path.join(folder, `data-${port}`, 'logs', name), 'utf8')

/** Sends a delivery until it is answered 200, as the service does; answers how often that was. */
async function deliver(receiver: { id: string; authorization: string }, body: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(`http://localhost:${port}/api/webhooks/${receiver.id}`, {
      method: 'POST',
      headers: { authorization: receiver.authorization },
      body,
      signal: AbortSignal.timeout(2_000),
    }).catch((error: unknown) => ({ status: String(error) }))
    if (answer.status === 200) return tries
    await sleep(250)
  }
}

describe('of what runs', () => {
  let receiver: Awaited<ReturnType<typeof addReceiver>>
  beforeAll(async () => {
    await begin()
    receiver = await addReceiver(pool, { key })
    const owner = new URL(database.url)
    owner.searchParams.set('application_name', 'owners-address')
    await serve({ DATABASE_MIGRATE_URL: owner.href })
  })
  afterAll(end)

  test('who is there has no line', () => {
    expect(output.split('\n').filter((line) => /^[A-Z_]+(:| is )/.test(line))).toEqual([
      expect.stringMatching(/^SERVICE_BASE_URL/),
    ])
  })

  test.each([
    ['server', 'SIGUSR2', 'thrown'],
    // Both kinds of error arrive at the projector's one handler.
    ['server', 'SIGWINCH', 'rejected'],
    ['projector', 'SIGWINCH', 'rejected'],
  ] as const)(
    'a %s with an error that nobody expects (%s) says so, ends in order and is started again',
    async (name, signal, how) => {
      const first = pidOf(`${name}.ts`)
      process.kill(first, signal)
      await expect.poll(anotherThan(first, `${name}.ts`), { timeout: 30_000 }).toBe(true)
      expect(output).toContain(`The ${name} ended (1) and is started again`)
      const fatal = log(`${name}.log`)
        .split('\n')
        .filter((line) => line.includes('"level":"fatal"') && line.includes(how))
      expect(fatal).toEqual([expect.stringContaining(`${how} for [e-mail]`)])
      expect(log(`${name}.log`)).not.toContain('ana@example.com')
      // The end was in order: nothing was left for others to find.
      const { rows } = await pool.query(`SELECT why FROM outage WHERE why = 'process-died'`)
      expect(rows).toEqual([])
      await deliver(receiver, '{"n":1}')
      // Then the next one may be ended.
      const waiting = async () => (await pool.query('SELECT FROM delivery_pending')).rowCount
      await expect.poll(waiting, { timeout: 30_000 }).toBe(0)
    },
  )

  test('no process that answers requests is given the password of the tables’ owner', () => {
    const server = pidOf('server.ts')
    const pids = [started?.pid, server, findChild(server, 'live.ts'), pidOf('projector.ts')]
    const holders = pids.filter((pid) =>
      fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes('owners-address'),
    )
    expect(holders).toEqual([started?.pid])
  })

  test('the process of the streams does so too', async () => {
    const server = pidOf('server.ts')
    const live = () => findChild(server, 'live.ts') ?? 0
    const first = live()
    expect(first).toBeGreaterThan(0)
    process.kill(first, 'SIGUSR2')
    await expect.poll(() => live() !== 0 && live() !== first, { timeout: 30_000 }).toBe(true)
    expect(pidOf('server.ts')).toBe(server)
    expect(log('server.log')).toContain('thrown for [e-mail]')
    expect(log('server.log')).not.toContain('ana@example.com')
  })

  test('a server that hangs is ended and started again, and no delivery of that time is lost', {
    timeout: 180_000,
  }, async () => {
    const first = pidOf('server.ts')
    expect(await deliver(receiver, '{"n":0}')).toBe(1)
    process.kill(first, 'SIGSTOP')
    const tries = await Promise.all([1, 2, 3].map((n) => deliver(receiver, `{"n":${n}}`)))
    expect(Math.min(...tries)).toBeGreaterThan(1)
    expect(pidOf('server.ts')).not.toBe(first)
    const { rows } = await pool.query(
      'SELECT DISTINCT convert_from(body, $1) AS body FROM delivery ORDER BY 1',
      ['utf8'],
    )
    expect(rows.map(({ body }) => body)).toEqual([0, 1, 2, 3].map((n) => `{"n":${n}}`))
    expect(output).toContain('The server ended (SIGKILL) and is started again')
    expect(started?.exitCode).toBeNull()
  })
})

describe('of a start', () => {
  beforeEach(begin)
  afterEach(end)

  test('everybody who is down, and what was probably not meant, has one line, and the start goes on', async () => {
    const closed = String(await freePort())
    const away = new URL(database.url)
    away.port = closed
    const pooler = await startPooler(database.url)
    await serve({
      DATABASE_URL: pooler.url,
      DATABASE_READ_URL: away.href,
      SMTP_URL: `smtp://user:open-sesame@localhost:${closed}`,
      MAIL_FROM: 'rampart@example.com',
      OIDC_ISSUER: `http://localhost:${closed}`,
      OIDC_CLIENT_ID: 'rampart',
      AUDIT_HEAD_URL: `http://localhost:${closed}/heads`,
      DATABSE_MIGRATE_URL: 'x',
      PUBLIC_URL: '',
    })
    const lines = output.split('\n')
    for (const line of [
      /^SERVICE_BASE_URL: the service at http:\/\/localhost:1\/onboarding does not answer/,
      /^SMTP_URL: the mail server at localhost:\d+ does not take mail \(.*ECONNREFUSED/,
      /^OIDC_ISSUER: the provider at http:\/\/localhost:\d+\/ does not say what it is \(.*ECONNREFUSED/,
      /^AUDIT_HEAD_URL: nobody answers at localhost:\d+ \(.*ECONNREFUSED/,
      /^DATABASE_READ_URL: the database at .* does not answer \(.*ECONNREFUSED/,
      /^DATABASE_DIRECT_URL is missing, .*no notification comes \(LISTEN\)/,
      /^DATABSE_MIGRATE_URL is no setting of Rampart .* Did you mean DATABASE_MIGRATE_URL\?$/,
      /^PUBLIC_URL is missing: only this machine reaches/,
    ])
      expect(
        lines.filter((one) => line.test(one)),
        String(line),
      ).toHaveLength(1)
    expect(lines.filter((line) => /^[A-Z_]+(:| is )/.test(line))).toHaveLength(8)
    expect(output).not.toContain('open-sesame')
    expect(output).not.toMatch(/\n\s+at /)
    if (started) await stop(started)
    started = undefined
    pooler.stop()
  })

  test('pages alone take no delivery, hold no stream, and still say that they are ready', async () => {
    const receiver = await addReceiver(pool, { key })
    await serve({ ROLE: 'web' })
    const statusOf = async (at: string, init: RequestInit = {}) =>
      (await fetch(`http://localhost:${port}${at}`, { redirect: 'manual', ...init })).status
    expect(await statusOf('/sign-in')).toBe(200)
    const headers = { authorization: receiver.authorization }
    expect(await statusOf(`/api/webhooks/${receiver.id}`, { method: 'POST', headers, body: '{}' })).toBe(404)
    expect(await statusOf('/api/live')).toBe(404)
    expect(await statusOf('/readyz')).toBe(200)
    expect(findChild(pidOf('server.ts'), 'live.ts')).toBeUndefined()
    expect(findPid('projector.ts')).toBeUndefined()
    const { rows } = await pool.query(`SELECT FROM lease WHERE name LIKE 'ingest:%'`)
    expect(rows).toEqual([])
  })

  test('the PostgreSQL of a start that was killed holds up no later start, and nothing else is left of it', {
    timeout: 180_000,
  }, async () => {
    const dataDir = path.join(folder, 'own')
    await serve({ DATABASE_URL: '', RAMPART_DATA_DIR: dataDir })
    const killed = started?.pid ?? 0
    const programs = childrenOf(killed)
    const orphan = programs.find(({ words }) => words[0]?.endsWith('/postgres'))?.pid
    expect(programs).toHaveLength(3)
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => programs.map(({ pid }) => pid).filter(isRunning)).toEqual([orphan])
    await serve({ DATABASE_URL: '', RAMPART_DATA_DIR: dataDir })
    expect(output).toContain('\nready ')
    expect(programs.map(({ pid }) => pid).filter(isRunning)).toEqual([])
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
    if (started) await stop(started)
    started = undefined
    // The cluster of root is elsewhere.
    const moved = findText(path.join(dataDir, 'postgres', 'MOVED'))?.trim()
    if (moved) fs.rmSync(moved, { recursive: true })
  })
})
