import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { librariesOf, unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { freePort, type Postgres, startPostgres } from '../../../bin/postgres.ts'
import { compareWithLog } from './compare-with-log.ts'
import { type SenderLoad, startSenderLoad } from './load.ts'
import { CannotRunHere, type FaultTest, openTestBed, sleep, type TestBed } from './test-bed.ts'

/**
 * A synchronous standby goes away, and backends that wait for it are ended and cancelled. Whatever is answered 2xx must be
 * on the standby too.
 */
export const standby: FaultTest = async ({ short }) => {
  const stage = await openTestBed('standby')
  const receiver = await stage.addReceiver()
  const replica = await makeStandby(stage)
  try {
    const server = await stage.addServer()
    await replica.start()
    await waitForStandby(stage, 'standby')
    // The load is small, because a repeated statement with many rows draws so many sequence numbers that these alone are
    // written to the WAL.
    const load = startSenderLoad({ receiver, ports: () => [server.port], perSecond: 4 })
    let disturbed = 0
    for (let n = 0; n < (short ? 1 : 3); n++) {
      await sleep(1_000)
      await replica.stop()
      disturbed += await disturb(stage, load, short ? 3_000 : 10_000)
      await replica.start()
    }
    await load.finish()
    const books = await compareWithLog(stage, load)
    await sameOnBoth(stage, replica.url())
    return `${disturbed} waits ended or cancelled, all on the standby as well: ${books}`
  } finally {
    await replica.stop()
    await stage.close()
  }
}

/** Commits wait for this standby from now on, or for none when the name is empty. */
export async function waitForStandby(stage: TestBed, name: string): Promise<void> {
  await stage.ask(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await stage.ask('SELECT pg_reload_conf()')
  await sleep(300)
}

/**
 * The function ends and cancels, by turns, the waits for a missing standby. It throws when a delivery is answered 2xx
 * meanwhile.
 * @returns how many waits that were.
 */
export async function disturb(stage: TestBed, load: SenderLoad, forMs: number): Promise<number> {
  const from = performance.now()
  let disturbed = 0
  for (let turn = 0; performance.now() - from < forMs; turn++) {
    const how = turn % 2 === 0 ? 'pg_terminate_backend' : 'pg_cancel_backend'
    disturbed += (
      await stage.ask(
        `SELECT ${how}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'rampart%'`,
      )
    ).length
    await sleep(120)
  }
  const to = performance.now()
  const during = load.attempts.filter(({ at, took }) => at > from && at + took < to)
  const wrong = during.filter(({ status }) => status === 200)
  if (wrong.length > 0) throw new Error(`${wrong.length} answered 2xx without the standby`)
  if (disturbed === 0 || during.length === 0) throw new Error('Nobody waited for the standby')
  return disturbed
}

/** The standby is a copy of the stopped cluster that follows it, with the same programs. */
export async function makeStandby(
  stage: TestBed,
  programs: Pick<Parameters<typeof startPostgres>[0], 'native' | 'variables'> = {},
) {
  const primary = path.join(stage.folder, 'postgres')
  const dataDir = path.join(stage.folder, 'standby')
  if (fs.existsSync(path.join(primary, 'MOVED')))
    throw new CannotRunHere('needs a folder that PostgreSQL can reach')
  await stage.database.stop()
  spawnSync('cp', ['-a', primary, dataDir])
  fs.rmSync(path.join(dataDir, 'postmaster.pid'), { force: true })
  const { port } = new URL(stage.url)
  const signal = path.join(dataDir, 'standby.signal')
  fs.writeFileSync(signal, '')
  const { uid, gid } = fs.statSync(path.join(dataDir, 'PG_VERSION'))
  fs.chownSync(signal, uid, gid)
  fs.appendFileSync(
    path.join(dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=rampart password=temporary application_name=standby'\n`,
  )
  await stage.database.start()
  const options = { ...programs, dataDir, password: 'temporary', port: await freePort() }
  let up: Postgres | undefined
  // The cleanup also runs when the proof is interrupted, because the standby would outlive this process.
  const leave = () => up?.quit()
  return {
    url: () => up?.url('rampart') ?? '',
    async start() {
      process.once('exit', leave)
      up = await startPostgres({ ...options, logFile: path.join(stage.folder, 'standby.log') })
    },
    async stop() {
      process.off('exit', leave)
      await up?.stop()
      up = undefined
    },
  }
}

/** The standby shows a little later what it has on disk. */
async function sameOnBoth(stage: TestBed, url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const [primary] = await stage.ask<{ ids: string }>(IDS)
    for (let tries = 0; tries < 50; tries++) {
      const { rows } = await client.query<{ ids: string }>(IDS)
      if (rows[0]?.ids === primary?.ids) return
      await sleep(200)
    }
    throw new Error('The standby has other deliveries')
  } finally {
    await client.end()
  }
}

const IDS = `SELECT md5(string_agg(id::text, ',' ORDER BY id)) AS ids FROM delivery`

/**
 * Debian's PostgreSQL 15 has what the embedded one lacks, such as other languages and `pg_dump`. The function throws
 * `CannotRunHere`.
 */
export async function findDebianPostgres(): Promise<{
  /** The folder contains `bin/postgres`. */
  readonly native: string
  readonly libraries: Readonly<Record<string, string>>
}> {
  const [installed] = fs.globSync(postgresPaths)
  const packages = installed ? null : await unpackDebianPackages('postgresql-15')
  const reachable = packages && process.getuid?.() === 0 ? copyForOthers(packages) : packages
  const found = installed ?? (reachable ? fs.globSync(path.join(reachable, postgresPaths))[0] : undefined)
  if (!found) throw new CannotRunHere("needs Debian's PostgreSQL")
  return {
    native: path.dirname(path.dirname(found)),
    libraries: reachable ? { LD_LIBRARY_PATH: librariesOf(reachable) } : {},
  }
}

/** When root runs it, PostgreSQL runs as another user without access to the project. The copy is removed with the proof. */
function copyForOthers(packages: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-postgresql-'))
  fs.chmodSync(folder, 0o755)
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  fs.cpSync(packages, folder, { recursive: true, verbatimSymlinks: true })
  return folder
}

const postgresPaths = '/usr/lib/postgresql/*/bin/postgres'
