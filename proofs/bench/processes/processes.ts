import { type ChildProcess, fork } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import type { TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { applyMigrations } from '../../../lib/platform/db/migrate.ts'
import { ensureDeliveryPartitions } from '../../../lib/platform/db/partitions.ts'
import { toKeys } from '../../../lib/platform/env.ts'
import { secretDigester } from '../../../lib/platform/keys/digests-and-seals.ts'

/** The function starts a file of this project as its own process, which ends with this one, also when this one is killed. */
export const forkChild = (file: string, words: readonly string[]): ChildProcess =>
  fork(file, [...words], {
    execArgv: [
      '--import',
      path.join(import.meta.dirname, '../../../bin/hooks.mjs'),
      '--import',
      endWithParent,
    ],
  })

/** A listener for the end of the channel would keep a process alive that is done. */
const endWithParent = 'data:text/javascript,setInterval(()=>process.connected||process.exit(),500).unref()'

/** The promise settles with the next message of a process, and rejects when the process ends before. */
export const nextMessage = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`A process of the benchmark ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(String(message))
    })
  })

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}

/** `/proc` counts this many clock ticks a second, the same on every Linux that Node runs on. */
const ticks = 100

/**
 * The result is the seconds of processor time that a PostgreSQL server has used, ended backends included; NaN without
 * `/proc`.
 */
export function cpuSecondsOf(postmaster: number): number {
  if (!fs.existsSync('/proc/self/stat')) return Number.NaN
  let sum = 0
  for (const name of fs.readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined
    if (!stat) continue
    if (Number(name) === postmaster) sum += stat.own + stat.ended
    else if (stat.parent === postmaster) sum += stat.own
  }
  return sum / ticks
}

/** The result is the milliseconds of processor time that these processes have used so far. An ended process counts as 0. */
export const cpuMsOf = (pids: readonly string[]): number =>
  pids.reduce((sum, pid) => sum + (readStat(pid)?.own ?? 0), 0) * (1_000 / ticks)

/** The result has fields 4, and 14 to 17 of `/proc/PID/stat`. A process may end meanwhile. */
function readStat(pid: string) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (field: number) => Number(fields[field - 3])
    return { parent: at(4), own: at(14) + at(15), ended: at(16) + at(17) }
  } catch {
    return undefined
  }
}

/** A receiver's deliveries authenticate with this secret. */
export const secret = 'whsec-bench'

/** The database has one receiver, and the keys of the servers that take its deliveries. */
export interface BenchDatabase {
  readonly url: string
  readonly keys: string
  readonly receiverId: string
}

export async function createDatabase(postgres: TemporaryPostgres, name: string): Promise<BenchDatabase> {
  const url = await postgres.create(name)
  await applyMigrations(url)
  await ensureDeliveryPartitions(url)
  const keys = `bench:${crypto.randomBytes(32).toString('base64')}`
  const receiverId = crypto.randomUUID()
  const { digest, keyId } = secretDigester(toKeys(keys)).digest(secret)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [receiverId, digest, keyId],
  )
  await client.end()
  return { url, keys, receiverId }
}

export async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM delivery_pending')
  return rows[0]?.n ?? 0
}

export async function untilFolded(client: pg.Client): Promise<void> {
  while ((await countWaiting(client)) > 0) await new Promise((resolve) => setTimeout(resolve, 100))
}
