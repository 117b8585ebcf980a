import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { keepLogSmall } from './keep-log-small.ts'
import { nativePostgres, type RunAs, runAs } from './postgres-binaries.ts'

/** A role of the cluster with its password. */
export interface Login {
  readonly user: string
  readonly password: string
}

export interface Postgres {
  /** `postgresql://…/NAME` on loopback, for the cluster's superuser or another role; the database must exist. */
  url(database: string, login?: Login): string
  readonly pid: number
  /** Resolves when the server has gone, by whatever cause. */
  readonly gone: Promise<void>
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  readonly dataDir: string
  readonly password: string
  readonly logFile: string
  readonly settings?: readonly string[]
  /** A free one by default. */
  readonly port?: number
  /** Of its environment, beside the usual ones. */
  readonly variables?: Readonly<Record<string, string>>
  /** The folder with `bin/postgres`; the embedded one by default. */
  readonly native?: string
}

const clusterUser = 'rampart'
const serverEnvironment = { LC_ALL: 'C', PATH: '/usr/bin:/bin', NODE_ENV: 'production' } as const

/**
 * Starts the embedded PostgreSQL on a free loopback port, making its cluster on the first start.
 * A server left behind in the same directory by a killed parent is stopped first.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const identity = runAs(options.dataDir)
  const native = options.native ?? nativePostgres(identity)
  const dataDir = clusterDirectory(options.dataDir, identity)
  // initdb writes PG_VERSION first: a first start that was killed leaves what looks like a cluster and is none.
  const unfinished = `${options.dataDir}.unfinished`
  if (!fs.existsSync(path.join(dataDir, 'PG_VERSION')) || fs.existsSync(unfinished)) {
    fs.writeFileSync(unfinished, '')
    initialise(native, { ...options, dataDir }, identity)
    fs.rmSync(unfinished)
  }
  await stopOrphan(dataDir)
  const port = options.port ?? (await freePort())
  const child = spawn(
    path.join(native, 'bin', 'postgres'),
    [
      '-D',
      dataDir,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
    ].concat((options.settings ?? []).flatMap((setting) => ['-c', setting])),
    // Its own process group: Ctrl-C in the terminal reaches our supervisor, which stops it in order.
    {
      ...identity,
      cwd: '/',
      env: { ...serverEnvironment, ...options.variables },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  )
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await ready(child, options.logFile)
  const pid = child.pid ?? 0
  return {
    url: addressOf(port, options.password),
    pid,
    gone,
    stop: async () => {
      child.kill('SIGINT')
      await gone
    },
  }
}

/** The addresses of the databases of a server that another process started and that is up; null when none is. */
export function findPostgres(
  wanted: string,
  password: string,
): ((database: string, login?: Login) => string) | null {
  const moved = path.join(wanted, 'MOVED')
  const dataDir = fs.existsSync(moved) ? fs.readFileSync(moved, 'utf8').trim() : wanted
  const file = path.join(dataDir, 'postmaster.pid')
  if (!fs.existsSync(file)) return null
  const [pid, , , port] = fs.readFileSync(file, 'utf8').split('\n')
  return isPostgres(Number(pid), dataDir) ? addressOf(Number(port), password) : null
}

const addressOf =
  (port: number, superuserPassword: string) =>
  (database: string, { user, password }: Login = { user: clusterUser, password: superuserPassword }) =>
    `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/** A port nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Where the cluster lives: the wanted place or, when the server's user cannot reach that (root's home,
 * a directory of mode 0700), one below /var/lib that a file in the wanted place points to.
 */
function clusterDirectory(wanted: string, identity: RunAs): string {
  fs.mkdirSync(wanted, { recursive: true, mode: 0o700 })
  if (identity.uid === undefined || identity.gid === undefined) return wanted
  const moved = path.join(wanted, 'MOVED')
  if (fs.existsSync(moved)) return fs.readFileSync(moved, 'utf8').trim()
  fs.chownSync(wanted, identity.uid, identity.gid)
  if (identity.canReach(wanted)) return wanted
  const elsewhere = path.join('/var/lib/rampart', crypto.randomBytes(8).toString('hex'))
  fs.mkdirSync(elsewhere, { recursive: true, mode: 0o700 })
  fs.chmodSync('/var/lib/rampart', 0o755)
  fs.chownSync(elsewhere, identity.uid, identity.gid)
  fs.writeFileSync(moved, `${elsewhere}\n`)
  return elsewhere
}

function initialise(native: string, { dataDir, password, variables }: PostgresOptions, identity: RunAs) {
  // initdb refuses half a cluster.
  for (const name of fs.readdirSync(dataDir)) fs.rmSync(path.join(dataDir, name), { recursive: true })
  const secret = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-'))
  const passwordFile = path.join(secret, 'password')
  fs.writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (identity.uid !== undefined && identity.gid !== undefined)
    for (const place of [secret, passwordFile]) fs.chownSync(place, identity.uid, identity.gid)
  const result = spawnSync(
    path.join(native, 'bin', 'initdb'),
    [
      '-D',
      dataDir,
      '-U',
      clusterUser,
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
    ].concat(['--locale=C', '--data-checksums']),
    { ...identity, cwd: '/', env: { ...serverEnvironment, ...variables }, encoding: 'utf8' },
  )
  fs.rmSync(secret, { recursive: true })
  if (result.status !== 0)
    throw new Error(`PostgreSQL could not be set up: ${result.error?.message ?? result.stderr}`)
}

/** `postmaster.pid` outlives a `kill -9`; its process may live on, or its number may belong to another by now. */
async function stopOrphan(dataDir: string) {
  const file = path.join(dataDir, 'postmaster.pid')
  if (!fs.existsSync(file)) return
  const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0])
  if (isPostgres(pid, dataDir)) {
    process.kill(pid, 'SIGINT')
    for (let waited = 0; isPostgres(pid, dataDir) && waited < 15_000; waited += 50) await sleep(50)
  } else fs.rmSync(file, { force: true })
}

function isPostgres(pid: number, dataDir: string): boolean {
  try {
    process.kill(pid, 0)
    const command = `/proc/${pid}/cmdline`
    return !fs.existsSync('/proc/self/cmdline') || fs.readFileSync(command, 'utf8').includes(dataDir)
  } catch {
    return false
  }
}

function ready(child: ChildProcess, logFile: string): Promise<void> {
  const log = fs.openSync(logFile, 'a', 0o600)
  const stopRotating = keepLogSmall(logFile)
  child.once('close', () => {
    stopRotating()
    fs.closeSync(log)
  })
  return new Promise((resolve, reject) => {
    let seen = ''
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`PostgreSQL ended with ${code}: ${seen.trim().split('\n').at(-1) ?? ''}`)),
    )
    child.stderr?.on('data', (chunk: Buffer) => {
      fs.writeSync(log, chunk)
      if (seen.length < 100_000) seen += chunk
      if (/ready to accept (read-only )?connections/.test(seen)) resolve()
    })
  })
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
