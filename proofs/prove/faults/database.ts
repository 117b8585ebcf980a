import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { compareWithLog } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import {
  CannotRunHere,
  type FaultTest,
  hasCode,
  openTestBed,
  sleep,
  type TestBed,
  type TestDatabaseServer,
} from './test-bed.ts'

/** PostgreSQL is stopped at once, and started again. */
export const stopped: FaultTest = ({ short }) =>
  away(
    { times: short ? 1 : 3, forMs: 2_000 },
    (database) => database.stop(),
    (database) => database.start(),
  )

/** PostgreSQL is frozen for longer than anybody waits, and continues. */
export const frozen: FaultTest = ({ short }) =>
  away(
    { times: short ? 1 : 3, forMs: 7_000 },
    (database) => database.freeze(),
    (database) => database.thaw(),
  )

async function away(
  { times, forMs }: { times: number; forMs: number },
  begin: (database: TestDatabaseServer) => Promise<void> | void,
  end: (database: TestDatabaseServer) => Promise<void> | void,
): Promise<string> {
  const stage = await openTestBed('database')
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    for (let n = 0; n < times; n++) {
      await sleep(1_000)
      await begin(stage.database)
      await sleep(forMs)
      await end(stage.database)
    }
    await sleep(1_000)
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503))
      throw new Error('Nobody noticed that it was away')
    return `${times} times for ${forMs} ms: ${await compareWithLog(stage, load)}`
  } finally {
    stage.database.thaw()
    await stage.close()
  }
}

/** Other programs take every connection that the database has, and the server's own with them. */
export const pool: FaultTest = async ({ short }) => {
  const stage = await openTestBed('pool', { settings: ['max_connections=25'] })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    await sleep(1_000)
    const isNoticed = () => load.attempts.some(({ status }) => status === 503)
    const letGo = await takeAll(stage, short ? 3_000 : 8_000, isNoticed)
    await letGo()
    await sleep(1_000)
    await load.finish()
    if (!isNoticed()) throw new Error('There were connections left')
    return await compareWithLog(stage, load)
  } finally {
    await stage.close()
  }
}

/**
 * The function ends the server's connections repeatedly and takes their places: for this many milliseconds, and on a
 * busy machine until a delivery has noticed it, 30 seconds at most.
 */
async function takeAll(
  stage: TestBed,
  forMs: number,
  isNoticed: () => boolean,
): Promise<() => Promise<void>> {
  const began = Date.now()
  const goesOn = () => Date.now() < began + (isNoticed() ? forMs : 30_000)
  const taken = [await connect(stage)]
  const endThem = async () => {
    while (goesOn()) {
      await taken[0]?.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'rampart%'`,
      )
      await sleep(5)
    }
  }
  const takeTheirs = async () => {
    while (goesOn()) {
      await connect(stage).then(
        (client) => taken.push(client),
        () => sleep(5),
      )
    }
  }
  await Promise.all([endThem(), takeTheirs(), takeTheirs()])
  return async () => {
    for (const client of taken) await client.end()
  }
}

async function connect(stage: TestBed): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stage.url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** The database's disk is full, and then freed. PostgreSQL is started again where the full disk ended it. */
export const full: FaultTest = async ({ short }) => {
  const stage = await openTestBed('full', {
    mount: mountSmallDisk,
    settings: ['max_wal_size=48MB', 'min_wal_size=32MB'],
  })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port], padding: 4_000 })
    await sleep(1_000)
    const ballast = path.join(stage.folder, 'postgres', 'ballast')
    const ended = await fill(ballast, short ? 4_000 : 15_000, stage.database.isUp)
    fs.rmSync(ballast)
    if (!stage.database.isUp()) await stage.database.start()
    await load.finish()
    if (!load.attempts.some(({ status }) => status === 503)) throw new Error('The disk was never full')
    return `${ended ? 'PostgreSQL ended' : 'PostgreSQL went on'}; ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
  }
}

/** The function fills the disk repeatedly. The answer is true when PostgreSQL ended meanwhile. */
async function fill(file: string, forMs: number, isUp: () => boolean): Promise<boolean> {
  const block = Buffer.alloc(64 * 1024)
  const ballast = fs.openSync(file, 'w')
  for (const until = Date.now() + forMs; Date.now() < until; await sleep(20)) {
    try {
      for (;;) fs.writeSync(ballast, block)
    } catch (error) {
      // The disk is full for now.
      if (!hasCode(error, 'ENOSPC')) throw error
    }
  }
  fs.closeSync(ballast)
  return !isUp()
}

/**
 * The function mounts a small file system in memory at `folder`, which must not exist. Root mounts it directly. Other users
 * do so in a namespace of their own, where the system allows it, and reach it through /proc.
 * @returns what removes it. Throws `CannotRunHere`
 */
function mountSmallDisk(folder: string): Promise<() => void> | (() => void) {
  return process.getuid?.() === 0 ? mountAsRoot(folder) : mountInNamespace(folder)
}

const words = ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs']

function mountAsRoot(folder: string): () => void {
  fs.mkdirSync(folder)
  const { status, stderr, error } = spawnSync('mount', [...words, folder], { encoding: 'utf8' })
  if (status !== 0) throw new CannotRunHere(`cannot mount: ${error?.message ?? stderr.trim().split('\n')[0]}`)
  return () => spawnSync('umount', [folder])
}

async function mountInNamespace(folder: string): Promise<() => void> {
  const place = `${folder}-mounted`
  fs.mkdirSync(place)
  // The namespace lives as long as this shell, which ends with us because its input does.
  const script = `mount ${words.join(' ')} "$0" && echo mounted && exec cat`
  const holder = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, place], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const mounted = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'exit').then(
      () => false,
      () => false,
    ),
  ])
  if (!mounted) throw new CannotRunHere('needs root to mount')
  fs.symlinkSync(`/proc/${holder.pid}/root${place}`, folder)
  return () => holder.kill()
}
