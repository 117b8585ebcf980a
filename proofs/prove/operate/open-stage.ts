import type { ChildProcess } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { type Child, startChild } from '../../../bin/child.ts'
import { freePort } from '../../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { makeAuthority } from '../../../test/certificates.ts'
import { endInOrder, startRampart } from '../../bench/installation/installation.ts'
import { signIn } from '../databases/open-stage.ts'
import { type Bouncer, startBouncer } from '../databases/poolers.ts'
import { childOf } from '../faults/process.ts'
import { findDebianPostgres, makeStandby, waitForStandby } from '../faults/standby.ts'
import { openTestBed, sleep, type TestBed, type TestReceiverAccount, withClient } from '../faults/test-bed.ts'
import type { Address } from '../proxies/exchange.ts'
import { proxies, type RunningProxy } from '../proxies/programs.ts'

/**
 * The stage is an installation as an operator runs it: nginx with the block of docs/proxies.md, three replicas of Rampart,
 * PgBouncer, a primary and a synchronous standby.
 */
export interface OperateStage {
  /** The public address leads through nginx. */
  readonly address: Address
  readonly replicas: readonly Replica[]
  readonly nginx: RunningProxy
  readonly bouncer: Bouncer
  readonly receiver: TestReceiverAccount
  /** The cookie belongs to an admin. */
  readonly cookie: string
  /** The address leads directly to the database that takes writes now. */
  primaryUrl(): string
  readonly ask: TestBed['ask']
  /** The standby stops for a moment, and commits wait for it. */
  restartStandby(): Promise<void>
  /** The primary is killed, the standby promoted after a moment, and PgBouncer led there. */
  failOver(): Promise<void>
  close(): Promise<void>
}

const replicaCount = 3

/** A fail-over manager needs this many milliseconds to be sure that the primary is gone. */
const noticedAfter = 2_000

export async function openStage(): Promise<OperateStage> {
  const { native, libraries } = await findDebianPostgres()
  const programs = { native, variables: libraries }
  const bed = await openTestBed('operate', programs)
  const closing: (() => Promise<unknown>)[] = [bed.close]
  const close = async () => {
    for (const step of closing.reverse()) await step()
  }
  try {
    await bed.ask(`CREATE ROLE app LOGIN PASSWORD 'app'; GRANT CONNECT ON DATABASE rampart TO app`)
    const receiver = await bed.addReceiver()
    const secret = crypto.randomBytes(32).toString('base64')
    const standby = await makeStandby(bed, programs)
    closing.push(standby.stop)
    await standby.start()
    await waitForStandby(bed, 'standby')
    let primaryUrl = bed.url
    const bouncer = await startBouncer({
      parent: bed.folder,
      to: Number(new URL(bed.url).port),
      mode: 'transaction',
      logins: { app: 'app', rampart: 'temporary' },
    })
    closing.push(bouncer.stop)
    const service = await startService(bed.folder)
    closing.push(service.stop)
    const port = await freePort()
    const cookie = await signIn(bed, secret, `__Host-rampart-${port}`)
    const replicas: Replica[] = []
    for (let n = 1; n <= replicaCount; n++)
      replicas.push(
        new Replica(n, await freePort(), {
          RAMPART_DATA_DIR: path.join(bed.folder, `replica-${n}`),
          PUBLIC_URL: `https://localhost:${port}`,
          DATABASE_URL: bouncer.url('app'),
          DATABASE_DIRECT_URL: bouncer.url('app', 'session'),
          DATABASE_MIGRATE_URL: bouncer.url('rampart', 'session'),
          SERVICE_BASE_URL: service.url,
          SERVICE_API_KEY: service.apiKey,
          NEXTAUTH_SECRET: secret,
          RAMPART_KEYS: bed.keys,
          PROJECTORS: '1',
        }),
      )
    // The cleanup also runs when the proof is interrupted.
    const leave = () => replicas.forEach((replica) => void replica.leave())
    process.once('exit', leave)
    closing.push(async () => {
      process.off('exit', leave)
      await Promise.all(replicas.map((replica) => replica.stop()))
    })
    for (const replica of replicas) await replica.start()
    const authority = makeAuthority()
    const folder = path.join(bed.folder, 'nginx')
    fs.mkdirSync(folder, { mode: 0o711 })
    const [first = 0, ...others] = replicas.map((replica) => replica.port)
    const nginx = await proxies.nginx({
      folder,
      port,
      rampart: first,
      replicas: others,
      certified: authority.certify('localhost'),
    })
    closing.push(nginx.stop)
    return {
      address: { port, ca: authority.cert },
      replicas,
      nginx,
      bouncer,
      receiver,
      cookie,
      primaryUrl: () => primaryUrl,
      ask: (sql, values) => withClient(primaryUrl, async (client) => (await client.query(sql, values)).rows),
      async restartStandby() {
        await standby.stop()
        await standby.start()
      },
      async failOver() {
        await bed.database.stop()
        await sleep(noticedAfter)
        const url = standby.url()
        await withClient(url, (client) => client.query('SELECT pg_promote()'))
        bouncer.leadTo(Number(new URL(url).port))
        primaryUrl = url
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The sandbox plays the service, with a database of its own that nothing strikes. */
async function startService(logs: string) {
  const [theirs, port, apiKey] = [
    await startTemporaryPostgres('operate-service'),
    await freePort(),
    crypto.randomUUID(),
  ]
  let sandbox: Child
  try {
    sandbox = await startChild('sandbox', 'sandbox/main.ts', {
      variables: {
        NODE_ENV: 'production',
        SANDBOX_PORT: String(port),
        SANDBOX_DATABASE_URL: await theirs.create('sandbox'),
        SANDBOX_API_KEY: apiKey,
      },
      logs,
    })
  } catch (error) {
    await theirs.stop()
    throw error
  }
  return {
    url: `http://localhost:${port}/onboarding`,
    apiKey,
    async stop() {
      await sandbox.stop()
      await theirs.stop()
    },
  }
}

/** The name is that of a process of a replica, or `all` of them at once. */
export type Part = 'server.ts' | 'live.ts' | 'projector.ts' | 'all'

const mostStarts = 3

/** The supervisor must have everything running again within this many milliseconds. */
const patienceMs = 120_000

/** A replica is one group of processes as `npm start` keeps it, with a port of its own. */
class Replica {
  readonly name: string
  readonly port: number
  readonly #variables: Readonly<Record<string, string>>
  #tree = process.cwd()
  #child: ChildProcess | undefined

  constructor(number: number, port: number, variables: Readonly<Record<string, string>>) {
    this.name = `replica ${number}`
    this.port = port
    this.#variables = { ...variables, PORT: String(port) }
  }

  /** A start that fails, as on a machine that others use too, is repeated, as systemd does. */
  async start(): Promise<void> {
    for (let left = mostStarts; ; left--) {
      try {
        this.#child = await startRampart(this.#variables, this.#tree)
        return
      } catch (error) {
        if (left === 1) throw error
        console.log(`${this.name} did not start, and is started again`)
      }
    }
  }

  async stop(): Promise<void> {
    await endInOrder(this.#child)
  }

  /** @param tree the version of this folder starts, and the same version by default */
  async restart(tree = this.#tree): Promise<void> {
    await this.stop()
    this.#tree = tree
    await this.start()
  }

  /** The part is killed with SIGKILL. The promise settles when it runs again. */
  async kill(part: Part): Promise<void> {
    if (part === 'all') {
      const child = this.#child
      const gone = child && once(child, 'exit')
      child?.kill('SIGKILL')
      await gone
      return this.start()
    }
    const pid = this.#pidOf(part)
    process.kill(pid, 'SIGKILL')
    const until = performance.now() + patienceMs
    while (!(await this.#runsAgain(part, pid))) {
      if (performance.now() > until) throw new Error(`${part} of ${this.name} did not start again`)
      await sleep(200)
    }
  }

  /** Nobody waits for the end. */
  leave(): void {
    this.#child?.kill('SIGTERM')
  }

  async #runsAgain(part: Exclude<Part, 'all'>, before: number): Promise<boolean> {
    try {
      if (this.#pidOf(part) === before) return false
    } catch {
      return false
    }
    if (part !== 'server.ts') return true
    return fetch(`http://127.0.0.1:${this.port}/icon.svg`, { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  #pidOf(part: Exclude<Part, 'all'>): number {
    const supervisor = this.#child?.pid ?? 0
    return part === 'live.ts' ? childOf(childOf(supervisor, 'server.ts'), part) : childOf(supervisor, part)
  }
}
