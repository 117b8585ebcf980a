import { type ChildProcess, execFile, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { readSecrets } from '../../bin/data-directory.ts'
import { findText } from '../../bin/folders.ts'
import { findPostgres, freePort, type Postgres, startPostgres } from '../../bin/postgres.ts'
import { toKeys } from '../../lib/platform/env.ts'
import { secretDigester } from '../../lib/platform/keys/digests-and-seals.ts'
import { findDebianPostgres } from './faults/standby.ts'
import { CannotRunHere } from './faults/test-bed.ts'

export const when = 'backup, restore, the audit’s chain or the tables changed'

/**
 * The proof backs Rampart up while deliveries come, by each way of docs/backup.md, restores it and starts it. Everything
 * acknowledged before the gap must be there, and what is missing was acknowledged within it. The audit must verify.
 */
export default async function proveBackup(): Promise<Result> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-backup-'))
  fs.chmodSync(folder, 0o711)
  process.once('exit', () => remove(folder))
  const results: Result[] = []
  for (const [name, prove] of Object.entries({ embedded: proveEmbedded, 'of one’s own': proveOwn })) {
    const inside = path.join(folder, name.replaceAll(/\W+/g, '-'))
    fs.mkdirSync(inside, { mode: 0o711 })
    results.push(
      await prove(inside).then(
        () => passedResult,
        (error: unknown) => {
          console.error(error)
          const words = error instanceof Error ? error.message : String(error)
          if (error instanceof CannotRunHere) return skippedResult(`${name}: ${words}`)
          return failedResult(name, words)
        },
      ),
    )
  }
  return sumResults(results)
}

/** When root runs this, the embedded databases are in another folder. */
function remove(folder: string) {
  for (const file of fs.globSync(path.join(folder, '**/MOVED')))
    fs.rmSync(findText(file)?.trim() ?? file, { recursive: true, force: true })
  fs.rmSync(folder, { recursive: true, force: true })
}

const keys = `k1:${crypto.randomBytes(32).toString('base64')}`

/** No service answers, because deliveries need none. */
const settings = async () => {
  const port = await freePort()
  return {
    PORT: String(port),
    SERVICE_BASE_URL: `http://127.0.0.1:${await freePort()}`,
    SERVICE_API_KEY: 'a-key',
    NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
    RAMPART_KEYS: keys,
    PROJECTORS: '1',
  }
}

type Settings = Awaited<ReturnType<typeof settings>> & Record<string, string>

async function proveEmbedded(folder: string) {
  const shared = await settings()
  const [before, after, backup] = ['before', 'after', 'backups/monday'].map((name) => path.join(folder, name))
  const original = { ...shared, RAMPART_DATA_DIR: before ?? '' }
  const restored = { ...shared, RAMPART_DATA_DIR: after ?? '' }
  const rampart = await start(original)
  const load = await startLoad(original, ownUrl(original))
  await load.until(300)
  await command(original, 'backup', backup ?? '')
  await actAfterwards(original, load)
  await stop(rampart)
  await command(restored, 'restore', backup ?? '')
  const said = await command(restored, 'restored', 'a proof of it')
  await startAgain('embedded backup', {
    settings: restored,
    url: () => ownUrl(restored),
    original,
    load,
    said,
  })
}

const ownUrl = ({ RAMPART_DATA_DIR: dataDir = '' }: Settings) =>
  findPostgres(path.join(dataDir, 'postgres'), readSecrets(dataDir)?.postgresPassword ?? '')?.('rampart') ??
  ''

/** The steps are those of docs/install.md and docs/backup.md for a database of one's own. */
async function proveOwn(folder: string) {
  const debian = await findDebianPostgres()
  const [first, second] = [
    await startDebian(debian, path.join(folder, 'first')),
    await startDebian(debian, path.join(folder, 'second')),
  ]
  const base = path.join(folder, 'base')
  const dump = (name: string) => path.join(folder, name)
  const shared = { ...(await settings()), RAMPART_DATA_DIR: path.join(folder, 'before') }
  const original = { ...shared, ...addresses(first.postgres) }
  let third: DebianCluster | undefined
  try {
    for (const statement of roles) await first.tool('psql', '--command', statement, 'postgres')
    const rampart = await start(original)
    const load = await startLoad(original, first.postgres.url('rampart'))
    await load.until(300)
    await first.tool('pg_dumpall', '--roles-only', '--no-role-passwords', `--file=${dump('roles.sql')}`)
    await first.tool('pg_dump', '--format=custom', `--file=${dump('rampart.dump')}`, 'rampart')
    await first.tool('pg_basebackup', '--checkpoint=fast', '--wal-method=stream', `--pgdata=${base}`)
    const baseMadeAt = Date.now()
    await actAfterwards(original, load)
    await stop(rampart)
    await first.postgres.stop()

    await second.tool('psql', `--file=${dump('roles.sql')}`, 'postgres')
    for (const name of ['owner', 'app'])
      await second.tool('psql', '--command', `ALTER ROLE rampart_${name} PASSWORD '${name}'`, 'postgres')
    await second.tool(
      'createdb',
      '--owner=rampart_owner',
      '--encoding=UTF8',
      '--template=template0',
      'rampart',
    )
    const grants = [
      'REVOKE ALL ON DATABASE rampart FROM PUBLIC',
      'GRANT CONNECT ON DATABASE rampart TO rampart_app',
    ]
    await second.tool('psql', ...grants.map((grant) => `--command=${grant}`), 'postgres')
    await second.tool('pg_restore', '--exit-on-error', '--dbname=rampart', dump('rampart.dump'))
    await second.tool('vacuumdb', '--analyze-only', 'rampart')
    await samePrivileges(second.postgres.url('rampart'))
    const ofDump = {
      ...shared,
      ...addresses(second.postgres),
      RAMPART_DATA_DIR: path.join(folder, 'of-dump'),
    }
    const said = await command(ofDump, 'restored', 'a proof of it')
    await startAgain('pg_dump', {
      settings: ofDump,
      url: () => second.postgres.url('rampart'),
      original,
      load,
      said,
    })

    // Nothing in the database shows that it was restored, so Rampart starts first and the command comes afterwards.
    await sleep(Math.max(0, baseMadeAt + 40_000 - Date.now()))
    third = await startDebian(debian, base)
    await samePrivileges(third.postgres.url('rampart'))
    const ofBase = { ...shared, ...addresses(third.postgres), RAMPART_DATA_DIR: path.join(folder, 'of-base') }
    const url = third.postgres.url('rampart')
    await startAgain('base backup', { settings: ofBase, url: () => url, original, load, said: null })
  } finally {
    for (const cluster of [first, second, third]) await cluster?.postgres.stop()
  }
}

const roles = [
  `CREATE ROLE rampart_owner LOGIN PASSWORD 'owner'`,
  `CREATE ROLE rampart_app LOGIN PASSWORD 'app'`,
  'GRANT rampart_app TO rampart_owner',
  `CREATE DATABASE rampart OWNER rampart_owner ENCODING 'UTF8' TEMPLATE template0`,
  'REVOKE ALL ON DATABASE rampart FROM PUBLIC',
  'GRANT CONNECT ON DATABASE rampart TO rampart_app',
  ...['rampart_owner', 'rampart_app'].flatMap((role) => [
    `ALTER ROLE ${role} SET log_min_messages = log`,
    `ALTER ROLE ${role} SET log_min_error_statement = panic`,
  ]),
]

const addresses = (postgres: Postgres) => ({
  DATABASE_URL: postgres.url('rampart', { user: 'rampart_app', password: 'app' }),
  DATABASE_MIGRATE_URL: postgres.url('rampart', { user: 'rampart_owner', password: 'owner' }),
})

interface DebianCluster {
  readonly postgres: Postgres
  /** The function runs one of PostgreSQL's programs as its superuser. */
  tool(program: string, ...words: string[]): Promise<void>
}

async function startDebian(
  { native, libraries }: Awaited<ReturnType<typeof findDebianPostgres>>,
  dataDir: string,
): Promise<DebianCluster> {
  giveToPostgres(dataDir)
  const logFile = `${dataDir}.log`
  const postgres = await startPostgres({
    dataDir,
    password: 'temporary',
    logFile,
    native,
    variables: libraries,
  })
  const { port } = new URL(postgres.url('postgres'))
  const env = {
    ...process.env,
    ...libraries,
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: 'rampart',
    PGPASSWORD: 'temporary',
  }
  return {
    postgres,
    async tool(program, ...words) {
      const [found] = [native, '/usr/lib/postgresql/15']
        .map((root) => path.join(root, 'bin', program))
        .filter((file) => fs.existsSync(file))
      if (!found) throw new CannotRunHere(`needs ${program}`)
      await run(found, words, { env })
    },
  }
}

/** A base backup belongs to the user who made it. */
function giveToPostgres(dataDir: string) {
  if (process.getuid?.() !== 0 || !fs.existsSync(dataDir)) return
  const { uid, gid } = fs.statSync(path.join(path.dirname(dataDir), 'first', 'PG_VERSION'))
  for (const name of ['', ...fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })])
    fs.chownSync(path.join(dataDir, name), uid, gid)
}

/** The function compares what a dump of one database lacks. */
async function samePrivileges(url: string) {
  const [found] = await ask<{ connect: boolean; audit: boolean; logged: number }>(
    url,
    `SELECT has_database_privilege('public', 'rampart', 'CONNECT') AS connect,
       has_table_privilege('rampart_app', 'audit', 'UPDATE') AS audit,
       (SELECT count(*)::int FROM pg_db_role_setting WHERE 'log_min_messages=log' = ANY(setconfig)) AS logged`,
  )
  if (found?.connect || found?.audit || found?.logged !== 2)
    throw new Error(`Roles and grants are not what they were: ${JSON.stringify(found)}`)
}

interface Restored {
  readonly settings: Settings
  readonly url: () => string
  readonly original: Settings
  readonly load: Load
  /** The words of the command come before the start. They are null when the command runs after it. */
  readonly said: string | null
}

/** The function starts what was restored, and compares. */
async function startAgain(name: string, { settings: given, url, original, load, said }: Restored) {
  const rampart = await start(given)
  const sentence = said ?? (await command(given, 'restored', 'a proof of it'))
  const [, began = '', ended = ''] =
    /Deliveries that were acknowledged between (\S+Z) and (\S+Z) are no longer here, and will not be sent again/.exec(
      sentence,
    ) ?? []
  const there = new Set(
    (
      await ask<{ n: number }>(
        url(),
        `SELECT (convert_from(body, 'UTF8')::json -> 'data' ->> 'n')::int AS n FROM delivery`,
      )
    ).map(({ n }) => n),
  )
  const lost = load.acknowledged.filter(({ n }) => !there.has(n))
  const outside = lost.filter(({ at }) => at < Date.parse(began) || at > Date.parse(ended))
  if (outside.length > 0)
    throw new Error(`${name}: ${outside.length} are missing that were acknowledged outside of the gap`)
  if (lost.length === 0)
    throw new Error(`${name}: nothing was acknowledged after the backup: this run proves nothing`)
  const gaps = await ask<{ kind: string; began: Date; ended: Date }>(
    url(),
    `SELECT kind, began_at AS began, ended_at AS ended FROM gap WHERE kind IN ('down', 'restored') ORDER BY began_at`,
  )
  const [gap] = gaps
  if (gap?.kind !== 'restored' || gap.began.toISOString() !== began || gap.ended.toISOString() !== ended)
    throw new Error(`${name}: the gap is not what was said: ${JSON.stringify(gaps)}`)
  if (gaps.some((other) => other !== gap && other.began < gap.ended))
    throw new Error(`${name}: part of it is called downtime: ${JSON.stringify(gaps)}`)
  const log = path.join(original.RAMPART_DATA_DIR ?? '', 'logs', 'server.log')
  const verified = await command(given, 'audit', 'verify', log)
  if (!/A backup was restored, .* heads? names? entries after position/.test(verified))
    throw new Error(`${name}: the audit does not say what is missing: ${verified}`)
  if ((await send(given, load.receiver, -1)) !== 200) throw new Error(`${name}: it takes no delivery`)
  await stop(rampart)
  console.log(
    `${name}: ${there.size} deliveries are there, ${lost.length} were acknowledged after it, all between ${began} and ${ended}; the audit verifies`,
  )
}

interface Receiver {
  readonly id: string
}

interface Load {
  readonly receiver: Receiver
  readonly acknowledged: readonly { readonly n: number; readonly at: number }[]
  /** The promise settles when this many were acknowledged. */
  until(count: number): Promise<void>
  end(): Promise<void>
}

async function startLoad(given: Settings, url: string): Promise<Load> {
  const receiver = { id: crypto.randomUUID() }
  const { digest, keyId } = secretDigester(toKeys(keys)).digest('whsec-proof')
  await ask(
    url,
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [receiver.id, digest, keyId],
  )
  const acknowledged: { n: number; at: number }[] = []
  let [n, over] = [0, false]
  const worker = async () => {
    while (!over) {
      const mine = n++
      if ((await send(given, receiver, mine)) === 200) acknowledged.push({ n: mine, at: Date.now() })
      await sleep(5)
    }
  }
  const working = Promise.all(Array.from({ length: 4 }, worker))
  return {
    receiver,
    acknowledged,
    async until(count) {
      while (acknowledged.length < count) await sleep(20)
    },
    async end() {
      over = true
      await working
    },
  }
}

async function send({ PORT }: Settings, { id }: Receiver, n: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${PORT}/api/webhooks/${id}`, {
    method: 'POST',
    headers: { authorization: 'API-Key whsec-proof', 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'KYC',
      subType: 'proof',
      uuid: crypto.randomUUID(),
      data: { n, pad: 'x'.repeat(3_000) },
    }),
  })
  return answer.status
}

/** No backup has these deliveries, this entry of the audit, and the head that names it. */
async function actAfterwards(given: Settings, load: Load) {
  await load.until(load.acknowledged.length + 200)
  await command(given, 'setup-link')
  await sleep(3_000)
  await load.end()
}

async function start(given: Settings): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['bin/start.mjs'], {
    env: { ...process.env, ...given },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The child also ends when the proof fails.
  process.prependOnceListener('exit', () => child.kill('SIGTERM'))
  const lines = readline.createInterface({ input: child.stdout })
  for await (const line of lines) if (line.startsWith('ready ')) return child
  throw new Error('npm start did not become ready')
}

async function stop(rampart: ChildProcess) {
  rampart.kill('SIGTERM')
  const [code] = await once(rampart, 'exit')
  if (code !== 0) throw new Error(`npm start ended with ${code} after SIGTERM`)
}

/** The result is the output of `npm run rampart`. The function throws unless it exits with 0. */
async function command(given: Settings, ...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['bin/command.mjs', 'bin/rampart/rampart.ts', ...words], {
    env: { ...process.env, ...given },
  })
  return stdout
}

async function ask<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

const run = promisify(execFile)
