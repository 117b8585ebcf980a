import { execFile } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findCluster } from '../../../bin/cluster.ts'
import { freePort, type Postgres, startPostgres } from '../../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { applyMigrations } from '../../../lib/platform/db/migrate.ts'
import { toKeys } from '../../../lib/platform/env.ts'
import { secretDigester } from '../../../lib/platform/keys/digests-and-seals.ts'
import { digestOf } from '../../../test/projections.ts'
import { childrenOf, type Process, processOf, together } from './process.ts'

export interface TestReceiverAccount {
  readonly id: string
  readonly authorization: string
}

/** A machine runs a process that answers, at the same port after each start, and a projector beside it. */
interface ServerProcess extends Process {
  readonly port: number
}

/** The test bed has a cluster, servers and a receiver for one fault. All are real, and all are removed at its end. */
export interface TestBed {
  readonly folder: string
  readonly url: string
  /** The keys are those of the stage's servers. */
  readonly keys: string
  readonly database: TestDatabaseServer
  addReceiver(): Promise<TestReceiverAccount>
  /** `keys` are others than the stage's own. */
  addServer(keys?: string, database?: string): Promise<ServerProcess>
  /** The projector runs alone on the stage's database or a copy, with this number of shards. */
  addProjector(of?: { readonly url?: string; readonly shards?: number }): Promise<Process>
  /** The function copies the database, which nobody may be using, and answers the copy's address. */
  copy(name: string): Promise<string>
  /** The query runs on a connection of its own, which nothing else uses. */
  ask<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export interface TestDatabaseServer {
  /** The shutdown is immediate: no program is told, and nothing more is written. */
  stop(): Promise<void>
  start(): Promise<void>
  isUp(): boolean
  freeze(): void
  thaw(): void
}

interface Setting {
  readonly settings?: readonly string[]
  /** The variables are for PostgreSQL and the servers. */
  readonly variables?: Readonly<Record<string, string>>
  /** The folder contains `bin/postgres`, and is the embedded one by default. */
  readonly native?: string
  /** The database has this locale, as `CREATE DATABASE` takes it. */
  readonly locale?: string
  /** The SQL creates what an older program left. Without it the database has our tables, and nothing in them. */
  readonly dump?: string
  /** The function is called before the cluster is made, and its result when the cluster is gone. */
  readonly mount?: (folder: string) => Promise<() => void> | (() => void)
}

export async function openTestBed(name: string, setting: Setting = {}): Promise<TestBed> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `rampart-${name}-`))
  // When root runs it, PostgreSQL runs as another user, who needs access here.
  fs.chmodSync(folder, 0o711)
  const dataDir = path.join(folder, 'postgres')
  const unmount = await mountAt(dataDir, setting)
  const { settings = [], variables = {} } = setting
  const options = {
    dataDir,
    password: 'temporary',
    logFile: path.join(folder, 'postgres.log'),
    port: await freePort(),
    settings,
    variables,
    ...(setting.native ? { native: setting.native } : {}),
  }
  let up: Postgres | undefined
  const database: TestDatabaseServer = {
    async stop() {
      const stopping = up
      up = undefined
      if (stopping) process.kill(stopping.pid, 'SIGQUIT')
      await stopping?.gone
    },
    async start() {
      const started = await startPostgres(options)
      up = started
      void started.gone.then(() => {
        if (up === started) up = undefined
      })
    },
    isUp: () => up !== undefined,
    freeze: () => signalAll(up?.pid ?? 0, 'SIGSTOP'),
    thaw: () => signalAll(up?.pid ?? 0, 'SIGCONT'),
  }
  const url = `postgresql://rampart:temporary@127.0.0.1:${options.port}/rampart`
  const processes: Process[] = []
  // The cleanup also runs when a proof is interrupted, because PostgreSQL would outlive it.
  const leave = () => {
    if (up) process.kill(up.pid, 'SIGQUIT')
  }
  process.once('exit', leave)
  const close = async () => {
    for (const one of processes) await one.kill('SIGKILL')
    process.off('exit', leave)
    await database.stop()
    unmount?.()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  try {
    const isUsual = [setting.native, setting.variables, setting.locale, setting.dump].every(isAbsent)
    if (isUsual) await copyUsualCluster(dataDir)
    await database.start()
    if (!isUsual) {
      await query(url.replace(/rampart$/, 'postgres'), `CREATE DATABASE rampart ${setting.locale ?? ''}`)
      if (setting.dump === undefined) await applyMigrations(url)
      else await query(url, setting.dump)
    }
  } catch (error) {
    await close()
    throw error
  }
  const keys = newKeys()
  const logFile = path.join(folder, 'server.log')
  const launch = async <Started extends Process>(started: Started) => {
    processes.push(started)
    await started.start()
    return started
  }
  return {
    folder,
    url,
    keys,
    database,
    async addReceiver() {
      const id = crypto.randomUUID()
      const { digest, keyId } = secretDigester(toKeys(keys)).digest('whsec-proof')
      await query(
        url,
        `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
        [id, digest, keyId],
      )
      return { id, authorization: 'API-Key whsec-proof' }
    },
    async addServer(given = keys, of = url) {
      const port = await freePort()
      const answering = processOf('server.ts', [of, given, String(port)], variables, logFile)
      const folding = processOf('projector.ts', [of], variables, logFile)
      return launch({ ...together([answering, folding]), port })
    },
    addProjector({ url: of = url, shards } = {}) {
      const words = shards === undefined ? [of] : [of, String(shards)]
      return launch(processOf('projector.ts', words, variables, logFile))
    },
    async copy(name) {
      await query(url.replace(/rampart$/, 'postgres'), `CREATE DATABASE "${name}" TEMPLATE rampart`)
      return url.replace(/rampart$/, name)
    },
    ask: (sql, values) => query(url, sql, values),
    close,
  }
}

const isAbsent = (value: unknown) => value === undefined

/**
 * The cluster has the database that most beds begin with. initdb keeps this process from everything else for seconds, in
 * which the connections of other beds would time out, so that it runs once.
 */
async function copyUsualCluster(dataDir: string): Promise<void> {
  usualCluster ??= makeUsualCluster()
  await promisify(execFile)('cp', ['-a', await usualCluster, findCluster(dataDir).place])
}

let usualCluster: Promise<string> | undefined

async function makeUsualCluster(): Promise<string> {
  const postgres = await startTemporaryPostgres('usual')
  await applyMigrations(await postgres.create('rampart'))
  process.kill(postgres.pid, 'SIGINT')
  await postgres.gone
  return path.join(postgres.folder, 'postgres')
}

async function mountAt(dataDir: string, { mount }: Setting) {
  try {
    return await mount?.(dataDir)
  } catch (error) {
    fs.rmSync(path.dirname(dataDir), { recursive: true })
    throw error
  }
}

/** The postmaster gets the signal first, so that it starts nothing meanwhile. */
function signalAll(postmaster: number, signal: NodeJS.Signals) {
  if (postmaster === 0) return
  process.kill(postmaster, signal)
  for (const { pid } of childrenOf(postmaster)) signalOne(pid, signal)
}

function signalOne(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process has ended by itself.
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** The connection waits up to 10 s for a slot, because processes that connect again may hold all of them for a moment. */
export async function connectTo(url: string, name = ''): Promise<pg.Client> {
  const until = Date.now() + 10_000
  for (;;) {
    const client = new pg.Client({ connectionString: url, application_name: name })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end()
      if (!hasCode(error, '53300') || Date.now() > until) throw error
      await sleep(100)
    }
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string, values?: unknown[]) {
  const client = await connectTo(url)
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The new keys have the id of the stage's own key. */
export const newKeys = () => `k1:${crypto.randomBytes(32).toString('base64')}`

/** The answer is true when a system call failed for this reason, such as `ENOSPC`. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** The function waits until no delivery waits. `patience` is in milliseconds. */
export async function waitUntilFolded(url: string, patience = 300_000): Promise<void> {
  const until = Date.now() + patience
  await withClient(url, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ waiting: boolean }>(
        'SELECT EXISTS (SELECT FROM delivery_pending) AS waiting',
      )
      if (!rows[0]?.waiting) return
      if (Date.now() > until) throw new Error('Deliveries are waiting still')
      await sleep(100)
    }
  })
}

/**
 * The digest covers what the projectors made of the log, see `digestOf`. The function throws when a delivery is missing or
 * there twice.
 */
export function foldedContent(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ logged: string; folded: string; different: string }>(COUNTS)
    const { logged, folded, different } = rows[0] ?? {}
    if (logged !== folded || folded !== different)
      throw new Error(`${logged} in the log, ${folded} folded, ${different} of them different`)
    return digestOf(client)
  })
}

const COUNTS = `
  SELECT (SELECT count(*) FROM delivery) AS logged, count(*) AS folded, count(DISTINCT delivery_id) AS different
  FROM event_delivery`

export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * A fault test breaks something on real processes and compares the records. It throws what is wrong, and answers what it
 * saw.
 */
export type FaultTest = (how: { readonly short: boolean }) => Promise<string>

/** The fault cannot be caused on this machine, and the message says what it needs. The test counts as skipped. */
export class CannotRunHere extends Error {}
