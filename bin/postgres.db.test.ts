import { spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findPostgres, freePort, type Postgres, startPostgres } from './postgres.ts'
import { copyForOthers, nativePostgres, runAs, sharedFolder } from './postgres-binaries.ts'

/** The cluster was started once and stopped. */
const template = openFolder()
let folder: string
const started: Postgres[] = []

beforeAll(async () => {
  folder = template
  const first = await start(path.join(template, 'postgres'))
  await run(first, 'CREATE DATABASE kept')
  await stop(first)
})
afterAll(() => fs.rmSync(template, { recursive: true }))
beforeEach(() => {
  folder = openFolder()
})
afterEach(async () => {
  for (const postgres of started.splice(0)) await postgres.stop()
  for (const moved of new Set(fs.globSync(path.join(folder, '*/postgres/MOVED')).map(placeIn)))
    fs.rmSync(moved, { recursive: true, force: true })
  fs.rmSync(folder, { recursive: true })
})

function openFolder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-postgres-'))
  // When root starts it, PostgreSQL runs as another user, who needs access here.
  fs.chmodSync(made, 0o711)
  return made
}

const copy = (from: string, to: string) => spawnSync('cp', ['-a', from, to])

function copyTemplate(): string {
  const dataDir = path.join(folder, 'postgres')
  copy(path.join(template, 'postgres'), dataDir)
  return dataDir
}

const isKept = async (postgres: Postgres) =>
  expect(await run(postgres, 'SELECT 1 AS one', 'kept')).toEqual([{ one: 1 }])

async function start(dataDir: string, logFile = path.join(folder, 'postgres.log')): Promise<Postgres> {
  const postgres = await startPostgres({
    dataDir,
    password: 'test',
    logFile,
    settings: ['fsync=off'],
  })
  started.push(postgres)
  return postgres
}

async function stop(postgres: Postgres) {
  started.splice(started.indexOf(postgres), 1)
  await postgres.stop()
}

async function run(postgres: Postgres, sql: string, database = 'postgres') {
  const client = new pg.Client({ connectionString: postgres.url(database) })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The snapshot has everything in a folder with its mode and owner, and the content of files. */
const read = (place: string) =>
  ['', ...fs.readdirSync(place, { recursive: true, encoding: 'utf8' })].sort().map((name) => {
    const { mode, uid, gid } = fs.statSync(path.join(place, name))
    const file = path.join(place, name)
    return [name, mode, uid, gid, fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : '']
  })

test('files that somebody keeps where the cluster would be are left alone, and named', async () => {
  const dataDir = path.join(folder, 'postgres')
  fs.mkdirSync(path.join(dataDir, 'dumps'), { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'dumps', 'dump.sql'), 'x')
  const before = read(folder)
  await expect(start(dataDir)).rejects.toThrow(`${dataDir} holds "dumps", which Rampart did not put there`)
  expect(read(folder)).toEqual(before)
})

test('an empty folder that was there keeps its mode and owner, and the cluster lives inside', async () => {
  const dataDir = path.join(folder, 'postgres')
  fs.mkdirSync(dataDir)
  fs.chmodSync(dataDir, 0o755)
  const [before] = read(dataDir)
  const first = await start(dataDir)
  await run(first, 'CREATE DATABASE kept')
  expect(read(dataDir)[0]).toEqual(before)
  await stop(first)
  expect(await run(await start(dataDir), 'SELECT 1 AS one', 'kept')).toEqual([{ one: 1 }])
})

test('the copy of a data directory whose PostgreSQL runs has a database of its own, and stops nothing', async () => {
  const dataDir = path.join(folder, 'postgres-of-a')
  copy(path.join(template, 'postgres'), dataDir)
  const original = await start(dataDir)
  await run(original, 'CHECKPOINT')
  // The name of the original begins with that of the copy.
  const copied = path.join(folder, 'postgres')
  copy(dataDir, copied)
  expect(findPostgres(copied, 'test')).toBeNull()
  const second = await start(copied)
  await run(second, 'CREATE DATABASE of_the_copy')
  expect(await run(original, `SELECT 1 FROM pg_database WHERE datname = 'of_the_copy'`)).toEqual([])
})

test('a cluster whose configuration names the zone of the machine speaks UTC', async () => {
  const dataDir = copyTemplate()
  const first = await start(dataDir)
  await run(first, `ALTER SYSTEM SET timezone = 'Asia/Kolkata'`)
  await stop(first)
  expect(await run(await start(dataDir), 'SHOW TimeZone')).toEqual([{ TimeZone: 'UTC' }])
})

test('a program that merely mentions the folder is not taken for its PostgreSQL', async () => {
  const dataDir = copyTemplate()
  const sleeper = spawn('/bin/sh', ['-c', `sleep 60; : postgres -D ${dataDir} -p 1`], { detached: true })
  await once(sleeper, 'spawn')
  fs.writeFileSync(path.join(dataDir, 'postmaster.pid'), `${sleeper.pid}\n${dataDir}\n0\n1\n`)
  expect(findPostgres(dataDir, 'test')).toBeNull()
  await start(dataDir)
  expect(sleeper.signalCode).toBeNull()
  process.kill(-Number(sleeper.pid), 'SIGKILL')
})

test('half a cluster that a killed first start of an older version left is set aside whole', async () => {
  const dataDir = path.join(folder, 'postgres')
  fs.mkdirSync(path.join(dataDir, 'base'), { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'PG_VERSION'), '18\n')
  fs.writeFileSync(`${dataDir}.unfinished`, '')
  const first = await start(dataDir)
  await run(first, 'CREATE DATABASE kept')
  await stop(first)
  const [aside = ''] = fs.globSync(`${dataDir}.unfinished-*`)
  expect(fs.readdirSync(aside)).toEqual(['PG_VERSION', 'base'])
  // A used cluster is never unfinished, whatever file is beside it.
  fs.writeFileSync(`${dataDir}.unfinished`, '')
  await isKept(await start(dataDir))
})

test('the PostgreSQL that a killed Rampart left is stopped, also after its folder was moved; a living one’s is not', async () => {
  const dataDir = copyTemplate()
  const orphan = await start(dataDir)
  await expect(start(dataDir)).rejects.toThrow(`is in use by another Rampart (process ${process.pid})`)
  const lock = path.join(dataDir, 'rampart.pid')
  fs.writeFileSync(lock, fs.readFileSync(lock, 'utf8').replace(/^\d+ \d+/, '999999999 1'))
  const moved = path.join(folder, 'moved')
  fs.renameSync(dataDir, moved)
  const next = await start(moved)
  await orphan.gone
  await isKept(next)
})

test('a PostgreSQL that somebody started by hand is left running, and named', async () => {
  const dataDir = copyTemplate()
  const identity = runAs(dataDir)
  const byHand = spawn(
    path.join(nativePostgres(identity), 'bin', 'postgres'),
    ['-D', dataDir, '-p', String(await freePort()), '-c', 'unix_socket_directories='],
    { ...identity, cwd: '/', stdio: 'ignore' },
  )
  const file = path.join(dataDir, 'postmaster.pid')
  await expect.poll(() => fs.existsSync(file) && fs.readFileSync(file, 'utf8')).toContain('ready')
  await expect(start(dataDir)).rejects.toThrow(`Stop it first: kill -INT ${byHand.pid}`)
  expect(findPostgres(dataDir, 'test')).toBeNull()
  byHand.kill('SIGINT')
  expect(await once(byHand, 'exit')).toEqual([0, null])
})

test('everybody can run a copy of files that their owner alone may read, also one that was made before', () => {
  const [native, copied] = ['native', 'copied'].map((name) => path.join(folder, name)) as [string, string]
  fs.mkdirSync(path.join(native, 'bin'), { recursive: true })
  fs.writeFileSync(path.join(native, 'bin', 'postgres'), '', { mode: 0o700 })
  fs.writeFileSync(path.join(native, 'bin', 'text'), '', { mode: 0o600 })
  fs.symlinkSync('text', path.join(native, 'bin', 'link'))
  fs.chmodSync(path.join(native, 'bin'), 0o700)
  const modes = () =>
    ['', 'bin', 'bin/postgres', 'bin/text'].map((name) => fs.statSync(path.join(copied, name)).mode & 0o777)
  const canReach = () => (fs.statSync(path.join(copied, 'bin')).mode & 0o005) === 0o005
  expect(copyForOthers(native, copied, { canReach })).toBe(copied)
  expect(modes()).toEqual([0o755, 0o755, 0o755, 0o644])
  for (const name of ['bin/postgres', 'bin']) fs.chmodSync(path.join(copied, name), 0o700)
  expect(copyForOthers(native, copied, { canReach })).toBe(copied)
  expect(modes()).toEqual([0o755, 0o755, 0o755, 0o644])
})

/** Only root's PostgreSQL runs as another user, who may not have access to the data directory. */
describe.runIf(process.getuid?.() === 0)('as root, in a folder that root alone can reach', () => {
  const dataDirOf = (name: string) => path.join(folder, name, 'postgres')
  const copyOfA = (to: string) => copy(path.join(folder, 'a'), path.join(folder, to))
  let original: string
  beforeEach(() => {
    original = dataDirOf('a')
    fs.mkdirSync(path.dirname(original), { mode: 0o700 })
    // An older version leaves it like this.
    const place = path.join(sharedFolder(), path.basename(folder))
    copy(path.join(template, 'postgres'), place)
    fs.mkdirSync(original, { mode: 0o700 })
    fs.writeFileSync(path.join(original, 'MOVED'), `${place}\n`)
  })

  test('a new database is made where PostgreSQL can reach it', async () => {
    const dataDir = dataDirOf('new')
    fs.mkdirSync(path.dirname(dataDir), { mode: 0o700 })
    const first = await start(dataDir)
    await run(first, 'CREATE DATABASE kept')
    await stop(first)
    const place = placeIn(path.join(dataDir, 'MOVED'))
    expect(place).toMatch(/^\/var\/lib\/rampart\/[0-9a-f]{16}$/)
    expect(fs.globSync(`${place}*`)).toEqual([place])
    expect(fs.readFileSync(path.join(place, 'BELONGS_TO'), 'utf8')).toMatch(`${dataDir}\n`)
    await isKept(await start(dataDir))
  })

  test('a copied data directory does not get at the database of the original', async () => {
    copyOfA('b')
    const running = await start(original)
    const copied = dataDirOf('b')
    const words = `${copied} is a copy that holds no database: its file MOVED names ${placeIn(path.join(original, 'MOVED'))}, which belongs to ${original}.`
    await expect(start(copied)).rejects.toThrow(words)
    expect(() => findPostgres(copied, 'test')).toThrow(words)
    await isKept(running)
  })

  test('a data directory keeps its database when it is moved, or copied and the original removed', async () => {
    await stop(await start(original))
    fs.renameSync(path.join(folder, 'a'), path.join(folder, 'b'))
    const moved = await start(dataDirOf('b'))
    await isKept(moved)
    await stop(moved)
    copy(path.join(folder, 'b'), path.join(folder, 'c'))
    fs.rmSync(path.join(folder, 'b'), { recursive: true })
    await isKept(await start(dataDirOf('c')))
  })

  test('a copy with a copy of the database works on its own', async () => {
    await stop(await start(original))
    copyOfA('b')
    const moved = path.join(dataDirOf('b'), 'MOVED')
    const own = `${placeIn(moved)}-copy`
    copy(placeIn(moved), own)
    fs.writeFileSync(moved, own)
    const second = await start(dataDirOf('b'))
    await run(second, 'CREATE DATABASE of_the_copy')
    const databases = `SELECT datname FROM pg_database WHERE datname IN ('kept', 'of_the_copy') ORDER BY 1`
    expect(await run(second, databases)).toHaveLength(2)
    expect(await run(await start(original), databases)).toHaveLength(1)
  })

  test('a cluster of an older version is claimed at its next start, unless it runs', async () => {
    const place = placeIn(path.join(original, 'MOVED'))
    const owner = path.join(place, 'BELONGS_TO')
    copyOfA('b')
    const orphan = await start(original)
    fs.rmSync(owner)
    fs.rmSync(path.join(place, 'rampart.pid'))
    await expect(start(dataDirOf('b'))).rejects.toThrow(`nothing says that this belongs to ${dataDirOf('b')}`)
    await isKept(orphan)
    await stop(orphan)
    await isKept(await start(original))
    expect(fs.readFileSync(owner, 'utf8')).toMatch(`${original}\n`)
    await expect(start(dataDirOf('b'))).rejects.toThrow(`which belongs to ${original}`)
  })

  test('a database that is missing is named, and none is made in its place', async () => {
    const place = placeIn(path.join(original, 'MOVED'))
    fs.renameSync(place, `${place}-elsewhere`)
    const before = read(path.join(folder, 'a'))
    await expect(start(original)).rejects.toThrow(
      `The database of ${original} is missing: its file MOVED names ${place}.`,
    )
    expect(read(path.join(folder, 'a'))).toEqual(before)
    fs.renameSync(`${place}-elsewhere`, place)
  })
})

test('a disk that is full loses lines of the log, says so once, and says when it goes on', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const postgres = await start(copyTemplate(), '/dev/full')
  await isKept(postgres)
  expect(said.mock.calls).toEqual([[expect.stringContaining('/dev/full cannot be written')]])
  await stop(postgres)
  const logFile = path.join(folder, 'postgres.log')
  const next = await start(path.join(folder, 'postgres'), logFile)
  said.mockClear()
  const fail = () => expect(run(next, 'SELECT 1/0')).rejects.toThrow('division by zero')
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  })
  await fail()
  await fail()
  await expect.poll(() => full.mock.calls.length).toBeGreaterThan(1)
  full.mockRestore()
  await fail()
  await expect
    .poll(() => said.mock.calls)
    .toEqual([
      [expect.stringContaining(`${logFile} cannot be written`)],
      [expect.stringMatching(/is written again. It lacks \d+ bytes\.$/)],
    ])
  said.mockRestore()
})

test('a free port is given to one caller alone, also before anybody listens', async () => {
  const [port, other] = [await freePort(), await freePort()]
  const ask = `import { freePort } from './bin/postgres.ts'; import crypto from 'node:crypto'
    const numbers = [${port}, ${other}, 31_999]; crypto.randomInt = () => numbers.shift() ?? 31_998
    console.log(await freePort())`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './bin/hooks.mjs', '--input-type=module', '-e', ask],
    {
      encoding: 'utf8',
    },
  )
  expect([stdout.trim(), stderr]).toEqual([expect.stringMatching(/^3199[89]$/), ''])
  const draw = vi.spyOn(crypto, 'randomInt').mockImplementation(() => port)
  draw.mockImplementationOnce(() => port).mockImplementationOnce(() => 31_997)
  expect(await freePort()).toBe(31_997)
  vi.restoreAllMocks()
})

function placeIn(moved: string): string {
  return fs.readFileSync(moved, 'utf8').trim()
}
