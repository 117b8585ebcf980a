import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { z } from 'zod'
import { openPool } from '#lib/platform/db/pool.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { markAsBackup } from '../lib/operations/restore/restore-state.ts'
import { findCluster, makeCluster } from './cluster.ts'
import { readSecrets } from './data-directory.ts'
import { createFile, findNames, findText, hasCode, makeFolder } from './folders.ts'
import { startPostgres } from './postgres.ts'
import { type RunAs, runAs } from './postgres-binaries.ts'
import { lockFolder } from './process-lock.ts'

/** A backup stores these facts in a file. */
export interface BackupFacts {
  /** The time is ISO 8601. */
  readonly madeAt: string
  /** The number is that of the last entry of its audit, or 0 for none. */
  readonly lastEntry: number
  /** The time, ISO 8601, is that of the last delivery or sign of life in the backup, or null for none. */
  readonly lastSignAt: string | null
}

/** The callback gets the number of bytes that were copied so far. */
type OnProgress = (bytes: number) => void

function progressOf(onProgress: OnProgress): (file: string) => void {
  let bytes = 0
  return (file) => {
    bytes += fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
    onProgress(bytes)
  }
}

/** The source is the embedded database to copy, which may be busy. */
export interface BackupSource {
  readonly dataDir: string
  readonly place: string
  /** The address of a database is for the cluster's superuser. */
  url(database: string): string
}

/**
 * The function copies the embedded database while it is used, and its secrets, into an empty or missing folder. A trial
 * start shows that the copy needs no log of the original. It throws an `OperatorError` before it writes anything where that
 * cannot be.
 */
export async function makeBackup(
  { dataDir, place, url }: BackupSource,
  folder: string,
  onProgress: OnProgress = () => undefined,
): Promise<BackupFacts> {
  requireApart(folder, dataDir, place)
  requireEmpty(folder)
  const identity = runAs(place)
  makeFolderFor(identity, folder)
  const copy = path.join(folder, 'postgres')
  makeOwned(copy, identity)
  try {
    if (!identity.canReach(copy))
      throw new OperatorError(
        `${folder} cannot be reached by the user that PostgreSQL runs as (uid ${identity.uid}), who starts the backup once. Choose a folder whose parents others can pass through, such as /var/backups/rampart-1`,
      )
    const expected = await readEnd(url('rampart'))
    await copyCluster(url('postgres'), place, copy, identity, progressOf(onProgress))
    const kept = await tryOut(copy, expected, dataDir)
    const facts = { madeAt: new Date().toISOString(), lastEntry: kept.kept, lastSignAt: kept.lastSignAt }
    createFile(path.join(folder, 'secrets.json'), fs.readFileSync(path.join(dataDir, 'secrets.json'), 'utf8'))
    createFile(path.join(folder, factsFile), JSON.stringify(facts, null, 2))
    return facts
  } catch (error) {
    for (const name of ['postgres', 'secrets.json', factsFile])
      await fs.promises.rm(path.join(folder, name), { recursive: true, force: true })
    throw error
  }
}

/**
 * The function makes an empty or missing data directory from a backup. It throws an `OperatorError` before it writes
 * anything where that cannot be.
 */
export async function restoreBackup(
  folder: string,
  dataDir: string,
  onProgress: OnProgress = () => undefined,
): Promise<BackupFacts> {
  const facts = BackupSchema.safeParse(parseJson(findText(path.join(folder, factsFile)))).data
  if (!facts)
    throw new OperatorError(
      `${folder} is no backup that "npm run rampart backup" made, or one that was not finished: ${factsFile} is missing in it.`,
    )
  requireApart(dataDir, folder)
  requireEmpty(dataDir)
  makeFolder(dataDir)
  const unlock = lockFolder(
    dataDir,
    (pid) => `Rampart runs already on ${dataDir} (process ${pid}). Restore into another folder.`,
  )
  try {
    requireEmpty(dataDir, 'rampart.pid')
    const wanted = path.resolve(dataDir, 'postgres')
    const identity = runAs()
    const place = await makeCluster(findCluster(wanted), wanted, identity, async (cluster) => {
      makeOwned(cluster, identity)
      await copyTree(path.join(folder, 'postgres'), cluster, identity, () => true, progressOf(onProgress))
    })
    await sync(path.dirname(place))
    // The secrets are written last: a start refuses a database without its secrets, and makes a new database for secrets
    // alone.
    createFile(path.join(dataDir, 'secrets.json'), fs.readFileSync(path.join(folder, 'secrets.json'), 'utf8'))
    return facts
  } finally {
    unlock()
  }
}

const factsFile = 'backup.json'

const BackupSchema = z.object({
  madeAt: z.iso.datetime(),
  lastEntry: z.number(),
  lastSignAt: z.iso.datetime().nullable(),
})

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/**
 * The function works as PostgreSQL's own `pg_basebackup`: it takes a checkpoint, the files, and the log of changes made
 * during the copy.
 */
async function copyCluster(
  url: string,
  place: string,
  copy: string,
  identity: RunAs,
  onCopied: (file: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  // The next statement then fails with the reason.
  client.on('error', () => undefined)
  await client.connect()
  try {
    // The slot keeps the needed part of the log as long as this connection lives.
    await client.query(
      `SELECT pg_create_physical_replication_slot('rampart_backup_' || pg_backend_pid(), true, true)`,
    )
    await client.query(`SELECT pg_backup_start('rampart backup', true)`)
    await copyTree(place, copy, identity, isPartOfBackup, onCopied)
    await copyFile(path.join(place, controlFile), path.join(copy, controlFile), identity)
    const { rows } = await client.query<{ label: string; spaces: string | null; last: string }>(STOP)
    const { label = '', spaces, last = '' } = rows[0] ?? {}
    if (spaces)
      throw new OperatorError('The database has tablespaces of its own, which Rampart does not back up.')
    const first = /^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$/m.exec(label)?.[1] ?? ''
    createOwned(path.join(copy, 'backup_label'), label, identity)
    const log = path.join(place, 'pg_wal')
    for (const name of fs.readdirSync(log))
      if (/^[0-9A-F]{24}$/.test(name) ? name >= first && name <= last : name.endsWith('.history'))
        await copyFile(path.join(log, name), path.join(copy, 'pg_wal', name), identity)
  } finally {
    await client.end()
  }
}

const STOP = `
  SELECT labelfile AS label, NULLIF(spcmapfile, '') AS spaces, pg_walfile_name(lsn) AS last FROM pg_backup_stop(false)`

/** The control file is read last, when all the rest is there. */
const controlFile = path.join('global', 'pg_control')

/**
 * The copy leaves out what PostgreSQL's own base backups leave out, of some folders the whole content, and Rampart's own
 * files.
 */
function isPartOfBackup(file: string): boolean {
  const [first = '', ...inside] = file.split(path.sep)
  const name = inside.at(-1) ?? first
  if (inside.length === 0)
    return !/^(rampart\.pid|BELONGS_TO|postmaster|backup_|tablespace_map|current_logfiles)/.test(name)
  return !emptied.has(first) && file !== controlFile && !/^(pgsql_tmp|pg_internal\.init)|\.tmp$/.test(name)
}

const emptied = new Set(
  ['wal', 'stat_tmp', 'replslot', 'dynshmem', 'notify', 'serial', 'snapshots', 'subtrans'].map(
    (name) => `pg_${name}`,
  ),
)

/** The copy starts once, is marked as a copy, and its end must match what was there before it was made. */
async function tryOut(copy: string, expected: End, dataDir: string) {
  const logFile = path.join(dataDir, 'logs', `backup-${crypto.randomUUID()}.log`)
  const password = readSecrets(dataDir)?.postgresPassword ?? ''
  const postgres = await startPostgres({ dataDir: copy, password, logFile, settings: ['max_connections=20'] })
  const pool = openPool(postgres.url('rampart'), 1)
  try {
    const { rows } = await pool.query<{ whole: boolean }>(IS_WHOLE, [expected.entry, expected.delivery])
    if (!rows[0]?.whole)
      throw new Error('The copy lacks what was there before it was made: it is no backup, and was removed')
    return await markAsBackup(pool)
  } finally {
    await pool.end()
    await postgres.stop()
    fs.rmSync(logFile)
  }
}

interface End {
  readonly entry: string | null
  readonly delivery: string | null
}

async function readEnd(url: string): Promise<End> {
  const pool = openPool(url, 1)
  try {
    const { rows } = await pool.query<End>(END)
    return rows[0] ?? { entry: null, delivery: null }
  } finally {
    await pool.end()
  }
}

const END = `
  SELECT (SELECT encode(digest, 'hex') FROM audit_link ORDER BY position DESC LIMIT 1) AS entry,
    (SELECT id FROM delivery ORDER BY id DESC LIMIT 1) AS delivery`

const IS_WHOLE = `
  SELECT ($1::text IS NULL OR EXISTS (SELECT FROM audit_link WHERE encode(digest, 'hex') = $1))
     AND ($2::uuid IS NULL OR EXISTS (SELECT FROM delivery WHERE id = $2)) AS whole`

/**
 * The function copies folders and files below `from` except what `isWanted` leaves out. A file that vanishes meanwhile was
 * not needed. Timers run while it copies, because locks that are not touched for 10 s are lost to another container.
 */
async function copyTree(
  from: string,
  to: string,
  identity: RunAs,
  isWanted: (file: string) => boolean,
  onCopied: (file: string) => void,
  inside = '',
): Promise<void> {
  for (const entry of fs.readdirSync(path.join(from, inside), { withFileTypes: true })) {
    const file = path.join(inside, entry.name)
    if (!isWanted(file)) continue
    if (!entry.isDirectory()) {
      await copyFile(path.join(from, file), path.join(to, file), identity)
      onCopied(path.join(to, file))
      await setImmediate()
    } else {
      makeOwned(path.join(to, file), identity)
      await copyTree(from, to, identity, isWanted, onCopied, file)
    }
  }
  await sync(path.join(to, inside))
}

/** PostgreSQL's user must reach its own part through these folders, and sees nothing else. */
function makeFolderFor(identity: RunAs, folder: string) {
  const above = path.dirname(path.resolve(folder))
  if (!fs.existsSync(above)) makeFolderFor(identity, above)
  const made = !fs.existsSync(folder)
  makeFolder(folder)
  if (identity.uid !== undefined && made) fs.chmodSync(folder, 0o711)
}

async function copyFile(from: string, to: string, identity: RunAs): Promise<void> {
  const isLarge = (fs.statSync(from, { throwIfNoEntry: false })?.size ?? 0) > largeBytes
  try {
    if (isLarge) await fs.promises.copyFile(from, to)
    else fs.copyFileSync(from, to)
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !fs.existsSync(from)) return fs.rmSync(to, { force: true })
    throw error
  }
  own(to, 0o600, identity)
  await sync(to, isLarge)
}

/** Another thread copies larger files. A smaller one takes less than the change of threads on a busy machine. */
const largeBytes = 10_000_000

function createOwned(file: string, text: string, identity: RunAs) {
  createFile(file, text)
  own(file, 0o600, identity)
}

function makeOwned(folder: string, identity: RunAs) {
  fs.mkdirSync(folder, { mode: 0o700 })
  own(folder, 0o700, identity)
}

function own(place: string, mode: number, { uid, gid }: RunAs) {
  fs.chmodSync(place, mode)
  if (uid !== undefined && gid !== undefined) fs.chownSync(place, uid, gid)
}

/** A copy whose machine loses power is whole, or known not to be finished. */
async function sync(place: string, isLarge = false): Promise<void> {
  const opened = fs.openSync(place, 'r')
  try {
    if (isLarge) await promisify(fs.fsync)(opened)
    else fs.fsyncSync(opened)
  } finally {
    fs.closeSync(opened)
  }
}

function requireEmpty(folder: string, ...ours: string[]) {
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory())
    throw new OperatorError(`${folder} is a file. Give a folder, which is made when it is missing.`)
  const found = findNames(folder)?.find((name) => name !== 'lost+found' && !ours.includes(name))
  if (found !== undefined)
    throw new OperatorError(
      `${folder} holds "${found}", and nothing is written over. Give a folder that is empty, or not there yet.`,
    )
}

/** Neither folder may be inside the other. */
function requireApart(folder: string, ...others: string[]) {
  const made = realPath(folder)
  for (const other of others.map(realPath))
    if (isWithin(made, other) || isWithin(other, made))
      throw new OperatorError(`${folder} and ${other} lie within each other. Give a folder elsewhere.`)
}

const isWithin = (place: string, folder: string) => !path.relative(folder, place).startsWith('..')

/** The path has its links resolved, even when the folder does not exist yet. */
function realPath(place: string): string {
  const whole = path.resolve(place)
  return fs.existsSync(whole)
    ? fs.realpathSync(whole)
    : path.join(realPath(path.dirname(whole)), path.basename(whole))
}
