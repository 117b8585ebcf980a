import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import dgram from 'node:dgram'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { OperatorError } from '#lib/platform/operator-error.ts'
import {
  claimCluster,
  findCluster,
  findPostmaster,
  makeCluster,
  postmasterWords,
  stopOrphan,
} from './cluster.ts'
import { createFile, throwInOneLine } from './folders.ts'
import { keepLogSmall } from './keep-log-small.ts'
import { nativePostgres, type RunAs, runAs } from './postgres-binaries.ts'
import { lockFolder } from './process-lock.ts'

export interface Login {
  readonly user: string
  readonly password: string
}

export interface Postgres {
  /**
   * The address is `postgresql://…/NAME` on loopback, for the cluster's superuser or another role. The database must exist.
   */
  url(database: string, login?: Login): string
  readonly pid: number
  /** The promise settles when the server has ended for any reason. */
  readonly gone: Promise<void>
  /** A fast shutdown rolls open transactions back. Everything committed is on disk. */
  stop(): Promise<void>
  /** An immediate shutdown waits for nothing, as when the machine loses power. */
  quit(): void
}

export interface PostgresOptions {
  readonly dataDir: string
  readonly password: string
  readonly logFile: string
  readonly settings?: readonly string[]
  /** The default is a free port. */
  readonly port?: number
  /** The environment has these variables beside the usual ones. */
  readonly variables?: Readonly<Record<string, string>>
  /** The folder contains `bin/postgres`. The default is the embedded one. */
  readonly native?: string
}

const clusterUser = 'rampart'
const serverEnvironment = { LC_ALL: 'C', PATH: '/usr/bin:/bin', NODE_ENV: 'production' } as const

/**
 * The function starts the embedded PostgreSQL on a free loopback port, and makes its cluster on the first start. It first
 * stops a server that a killed parent left in the directory. It throws an `OperatorError` where the folder is not Rampart's
 * own, belongs to another data directory, or is in use.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, identity, native, unlock } = await openCluster(options).catch((error: unknown) =>
    throwInOneLine(
      `The database in ${options.dataDir} cannot be opened`,
      'Put that right, or set RAMPART_DATA_DIR to another folder.',
      error,
    ),
  )
  try {
    await stopOrphan(dataDir)
    const port = options.port ?? (await freePort())
    const child = spawn(
      path.join(native, 'bin', 'postgres'),
      // initdb wrote the zone of the machine into the configuration.
      postmasterWords(dataDir, port).concat(
        ['timezone=UTC', ...(options.settings ?? [])].flatMap((setting) => ['-c', setting]),
      ),
      // PostgreSQL has its own process group, so that Ctrl-C in the terminal reaches our supervisor, which stops it in
      // order.
      {
        ...identity,
        cwd: '/',
        env: { ...serverEnvironment, ...options.variables },
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      },
    )
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    void gone.then(unlock)
    await ready(child, options.logFile)
    return {
      url: addressOf(port, options.password),
      pid: child.pid ?? 0,
      gone,
      stop: async () => {
        child.kill('SIGINT')
        await gone
      },
      quit: () => void child.kill('SIGQUIT'),
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The cluster of a data directory opens for this process alone, and is made when it is missing. */
async function openCluster(options: PostgresOptions) {
  const found = findCluster(options.dataDir)
  const identity = runAs(found.exists ? found.place : undefined)
  const native = options.native ?? nativePostgres(identity)
  if (found.exists && !identity.canReach(found.place))
    throw new OperatorError(
      `The database in ${found.place} cannot be reached by the user that PostgreSQL runs as (uid ${identity.uid}). Let others pass through the folders above it: chmod o+x`,
    )
  const dataDir = found.exists
    ? found.place
    : await makeCluster(found, options.dataDir, identity, (cluster, scratch) =>
        initialise({ native, cluster, scratch, identity }, options),
      )
  const unlock = lockFolder(
    dataDir,
    (pid) => `The database in ${dataDir} is in use by another Rampart (process ${pid}). Stop that first.`,
  )
  try {
    claimCluster(dataDir, options.dataDir)
  } catch (error) {
    unlock()
    throw error
  }
  return { dataDir, identity, native, unlock }
}

/**
 * The result has the addresses of a running server's databases that another process started, or null. The function throws an
 * `OperatorError` as `startPostgres` does.
 */
export function findPostgres(
  wanted: string,
  password: string,
): ((database: string, login?: Login) => string) | null {
  const { place, exists } = findCluster(wanted)
  const running = exists ? findPostmaster(place) : null
  return running?.ours ? addressOf(running.port, password) : null
}

const addressOf =
  (port: number, superuserPassword: string) =>
  (database: string, { user, password }: Login = { user: clusterUser, password: superuserPassword }) =>
    `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/**
 * No program uses the port at this moment, and no other call, of any process, gets it while this process lives. It lies below
 * the range for outgoing connections, one of which might otherwise take it first.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = crypto.randomInt(20_000, 32_000)
    if ((await reserve(port)) && (await whyNoListening(port)) === null) return port
  }
}

/** The same number for UDP is the mark: it disturbs no TCP, and the system takes it back when the process ends. */
function reserve(port: number): Promise<boolean> {
  const socket = dgram.createSocket('udp4').unref()
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

/**
 * The result is the system's error code, such as `EADDRINUSE`, when a port cannot be used at these addresses (all, and
 * loopback, by default), or null when it can.
 */
export async function whyNoListening(
  port: number,
  addresses: readonly (string | undefined)[] = [undefined, '127.0.0.1'],
): Promise<string | null> {
  const codes = await Promise.all(addresses.map((host) => tryListening(port, host)))
  return codes.find((code) => code !== null) ?? null
}

function tryListening(port: number, host: string | undefined): Promise<string | null> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ port, ...(host ? { host } : {}), exclusive: true }, () =>
      server.close(() => resolve(null)),
    )
  })
}

/** initdb makes the cluster as a new folder inside the scratch folder of PostgreSQL's user. */
function initialise(
  {
    native,
    cluster,
    scratch,
    identity,
  }: {
    readonly native: string
    readonly cluster: string
    readonly scratch: string
    readonly identity: RunAs
  },
  { password, variables }: PostgresOptions,
) {
  const passwordFile = path.join(scratch, 'password')
  createFile(passwordFile, `${password}\n`, 'owner of the folder')
  const result = spawnSync(
    path.join(native, 'bin', 'initdb'),
    [
      '-D',
      cluster,
      '-U',
      clusterUser,
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
    ].concat(['--locale=C', '--data-checksums']),
    { ...identity, cwd: '/', env: { ...serverEnvironment, ...variables }, encoding: 'utf8' },
  )
  if (result.status !== 0)
    throw new OperatorError(
      `PostgreSQL could not be set up: ${result.error?.message ?? errorIn(result.stderr) ?? `initdb ended with ${result.signal ?? result.status}`}`,
    )
}

/** The result is the line in which PostgreSQL's programs say why they ended. Hints may follow it. */
const errorIn = (said: string): string | undefined =>
  said
    .trim()
    .split('\n')
    .findLast((line) => /(FATAL|PANIC|error): /.test(line)) ?? said.trim().split('\n').at(-1)

function ready(child: ChildProcess, logFile: string): Promise<void> {
  const log = fs.openSync(logFile, 'a', 0o600)
  const write = writerOf(log, logFile)
  const stopRotating = keepLogSmall(logFile)
  child.once('close', () => {
    stopRotating()
    fs.closeSync(log)
  })
  return new Promise((resolve, reject) => {
    let seen = ''
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(
        new OperatorError(
          `PostgreSQL ended with ${signal ?? code}: ${errorIn(seen) ?? ''}. All it said is in ${logFile}`,
        ),
      ),
    )
    child.stderr?.on('data', (chunk: Buffer) => {
      write(chunk)
      // Connections during recovery make PostgreSQL log much before the awaited words.
      seen = (seen + chunk).slice(-100_000)
      if (/ready to accept (read-only )?connections/.test(seen)) resolve()
    })
  })
}

/** A full disk loses lines of the log, and neither the database nor this process. */
function writerOf(log: number, logFile: string): (chunk: Buffer) => void {
  let lost = 0
  return (chunk) => {
    try {
      fs.writeSync(log, chunk)
      if (lost > 0) console.error(`${logFile} is written again. It lacks ${lost} bytes.`)
      lost = 0
    } catch (error) {
      if (lost === 0)
        console.error(
          `${logFile} cannot be written, and lacks what PostgreSQL says: ${error instanceof Error ? error.message : error}`,
        )
      lost += chunk.length
    }
  }
}
