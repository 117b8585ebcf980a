import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { librariesOf, unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { freePort, whyNoListening } from '../../../bin/postgres.ts'
import { checkDatabases, requireMayMigrate } from '../../../lib/platform/db/check-databases.ts'
import { readStartSettings } from '../../../lib/platform/env.ts'
import { processOf } from '../faults/process.ts'
import { CannotRunHere } from '../faults/test-bed.ts'
import type { DatabaseStage } from './open-stage.ts'
import { lockFor } from './rows.ts'
import { strike } from './strike.ts'

/** PgBouncer runs before a database, which may move. */
export interface Bouncer {
  /** The role connects through the pool of this mode, or through a session of its own. */
  url(login: string, how?: 'pooled' | 'session'): string
  /** The database is at this port from now on, and PgBouncer reads its settings again. */
  leadTo(port: number): void
  /** PgBouncer ends, by SIGKILL by default, and starts again at the same port. */
  restart(signal?: NodeJS.Signals): Promise<void>
  /** PgBouncer ended by itself at these readings of the monotonic clock, and was started again. */
  readonly deaths: readonly number[]
  stop(): Promise<void>
}

/** An operator's supervisor starts PgBouncer again after this many milliseconds. 1.18 ends by itself under load. */
const restartAfterMs = 500

interface Setting {
  /** A folder for its files is made below this one. */
  readonly parent: string
  /** The port belongs to the database. */
  readonly to: number
  readonly mode: 'transaction' | 'statement'
  /** Each role has its password. */
  readonly logins: Readonly<Record<string, string>>
}

/** PgBouncer is Debian's, installed or unpacked. The function throws `CannotRunHere`. */
export async function startBouncer({ parent, to, mode, logins }: Setting): Promise<Bouncer> {
  const packages = await unpackDebianPackages('pgbouncer')
  const installed = fs.existsSync('/usr/sbin/pgbouncer') ? '/' : packages
  if (installed === null) throw new CannotRunHere("needs Debian's PgBouncer")
  const folder = fs.mkdtempSync(path.join(parent, 'bouncer-'))
  const file = path.join(folder, 'pgbouncer.ini')
  const port = await freePort()
  const users = Object.entries(logins).map(([role, password]) => `"${role}" "${password}"\n`)
  fs.writeFileSync(path.join(folder, 'users.txt'), users.join(''))
  const write = (target: number) =>
    fs.writeFileSync(
      file,
      `[databases]
rampart = host=127.0.0.1 port=${target}
rampart_session = host=127.0.0.1 port=${target} dbname=rampart pool_mode=session
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = ${mode}
default_pool_size = 30
max_client_conn = 400
server_login_retry = 1
`,
    )
  write(to)
  const isRoot = process.getuid?.() === 0
  if (isRoot) fs.chmodSync(folder, 0o755)
  const deaths: number[] = []
  let child: ChildProcess | undefined
  let stopped = false
  const start = async () => {
    const started = spawn(
      path.join(installed, 'usr/sbin/pgbouncer'),
      [...(isRoot ? ['-u', 'nobody'] : []), file],
      {
        env: {
          PATH: '/usr/bin:/bin',
          NODE_ENV: 'production',
          LD_LIBRARY_PATH: packages ? librariesOf(packages) : '',
        },
        stdio: ['ignore', 'ignore', fs.openSync(path.join(folder, 'log'), 'a')],
      },
    )
    child = started
    started.once('exit', () => {
      if (stopped || child !== started) return
      deaths.push(performance.now())
      setTimeout(() => {
        if (!stopped && child === started) void start()
      }, restartAfterMs)
    })
    for (let tries = 0; (await whyNoListening(port)) === null; tries++) {
      if (started.exitCode !== null || tries > 100)
        throw new Error(
          `PgBouncer did not start: ${fs.readFileSync(path.join(folder, 'log'), 'utf8').slice(-500)}`,
        )
      await sleep(50)
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = once(ending, 'exit')
    ending.kill(signal)
    await gone
  }
  // The cleanup also runs when the proof is interrupted.
  const leave = () => child?.kill('SIGKILL')
  process.once('exit', leave)
  await start()
  return {
    url: (login, how = 'pooled') =>
      `postgresql://${login}@127.0.0.1:${port}/${how === 'pooled' ? 'rampart' : 'rampart_session'}`,
    leadTo(target) {
      write(target)
      child?.kill('SIGHUP')
    },
    async restart(signal = 'SIGKILL') {
      await end(signal)
      await start()
    },
    deaths,
    async stop() {
      stopped = true
      process.off('exit', leave)
      await end('SIGKILL')
    },
  }
}

const startBouncerOf = (stage: DatabaseStage, mode: 'transaction' | 'statement') =>
  startBouncer({
    parent: stage.folder,
    to: Number(new URL(stage.url).port),
    mode,
    logins: { app: 'app' },
  })

/** The server runs behind PgBouncer in transaction mode, where nothing can be set on a connection. */
export async function lockedBehindPooler(stage: DatabaseStage): Promise<string> {
  const bouncer = await startBouncerOf(stage, 'transaction')
  const port = await freePort()
  const server = processOf(
    'server.ts',
    [bouncer.url('app'), stage.keys, String(port)],
    {},
    path.join(stage.folder, 'data/logs/pooled.log'),
  )
  try {
    await server.start()
    const said = await strike(stage, lockFor(20_000, 'another report'), { perSecond: 6, port })
    return `behind PgBouncer ${said}`
  } finally {
    await server.kill('SIGTERM')
    await bouncer.stop()
  }
}

/**
 * Each of these databases is refused before anything is written, with this message. The row throws where one is not refused,
 * or with another message.
 */
const refused: readonly (readonly [
  finding: string,
  ask: (stage: DatabaseStage) => Promise<unknown>,
  words: RegExp,
])[] = [
  [
    'Q5 a schema of its own',
    async ({ roleUrl, ask }) => {
      await ask('CREATE SCHEMA own AUTHORIZATION app; ALTER ROLE app SET search_path = own')
      await checkDatabases({ DATABASE_URL: roleUrl }, () => undefined)
    },
    /^DATABASE_URL comes to the schema own/,
  ],
  [
    'Q10 a search_path that names nothing',
    async ({ roleUrl, ask }) => {
      await ask('ALTER ROLE app SET search_path = nowhere')
      await checkDatabases({ DATABASE_URL: roleUrl }, () => undefined)
    },
    /^DATABASE_URL names no schema that this role may use/,
  ],
  [
    'Q10 an owner without rights',
    async ({ roleUrl, ask }) => {
      await ask('ALTER ROLE app RESET search_path; DROP SCHEMA IF EXISTS own CASCADE')
      await requireMayMigrate(roleUrl)
    },
    /^DATABASE_MIGRATE_URL must name the role that owns the tables/,
  ],
  [
    'Q8 several hosts',
    async () =>
      readStartSettings({
        NODE_ENV: 'production',
        DATABASE_URL: 'postgresql://u:p@one.example.com,two.example.com/rampart',
        NEXTAUTH_SECRET: 'n'.repeat(32),
        RAMPART_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      }),
    /^DATABASE_URL .*host/,
  ],
  [
    'Q10 PgBouncer in statement mode',
    async (stage) => {
      const bouncer = await startBouncerOf(stage, 'statement')
      await checkDatabases({ DATABASE_URL: bouncer.url('app') }, () => undefined).finally(bouncer.stop)
    },
    /pool_mode = transaction/,
  ],
]

export async function wrongStarts(stage: DatabaseStage): Promise<string> {
  const held: string[] = []
  for (const [finding, ask, words] of refused) {
    const reported = await ask(stage).then(
      () => 'nothing',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    if (!words.test(reported)) throw new Error(`${finding}: was told “${reported}”`)
    held.push(finding)
  }
  return `${held.join(', ')}: each is refused in one line before anything is written`
}

/** The address has no host and leads to PostgreSQL's own socket. */
export async function throughSocket({ folder, url }: DatabaseStage): Promise<string> {
  const directory = path.join(folder, 'postgres')
  const { port } = new URL(url)
  if (!fs.existsSync(path.join(directory, `.s.PGSQL.${port}`)))
    throw new CannotRunHere('needs a folder that PostgreSQL can reach')
  const address = `postgresql://app:app@/rampart?host=${encodeURIComponent(directory)}&port=${port}`
  await checkDatabases({ DATABASE_URL: address }, () => undefined)
  return 'an address with a socket and no host is read'
}
