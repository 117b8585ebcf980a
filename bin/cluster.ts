import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '../lib/platform/operator-error.ts'
import { createFile, findNames, findText, makeFolder } from './folders.ts'
import { type RunAs, sharedFolder } from './postgres-binaries.ts'
import { idOfFolder } from './process-lock.ts'

interface Cluster {
  readonly place: string
  readonly exists: boolean
}

/**
 * The cluster of a data directory is, or will be, in the wanted folder, inside it where somebody else had made that, or
 * where its file `MOVED` says. The function changes nothing. It throws an `OperatorError` when the folder holds anything
 * else, or the cluster is missing or not its own.
 */
export function findCluster(wanted: string): Cluster {
  const moved = readMoved(wanted)
  if (moved === undefined) return locate(wanted, wanted) ?? { place: wanted, exists: false }
  const found = locate(moved, wanted)
  if (!found)
    throw new OperatorError(
      `The database of ${wanted} is missing: its file MOVED names ${moved}. Bring that folder here from where it was, with the owners of its files, or restore both from a backup.`,
    )
  requireOwn(found.place, wanted)
  return found
}

/** The cluster is made in its own folder and renamed into place, so that a killed start leaves the whole cluster or none. */
export async function makeCluster(
  { place }: Cluster,
  wanted: string,
  identity: RunAs,
  initialise: (cluster: string, scratch: string) => void | Promise<void>,
): Promise<string> {
  if (findNames(place)) setAside(place, wanted)
  makeFolder(path.dirname(place))
  const made = makeFor(identity, place)
  try {
    if (identity.canReach(made)) return await finish(made, place, wanted)
  } finally {
    await fs.promises.rm(made, { recursive: true, force: true })
  }
  const elsewhere = path.join(sharedFolder(), crypto.randomBytes(8).toString('hex'))
  const there = makeFor(identity, elsewhere)
  try {
    makeFolder(wanted)
    await finish(there, elsewhere, wanted)
    createFile(path.join(wanted, 'MOVED'), `${elsewhere}\n`)
    return elsewhere
  } finally {
    await fs.promises.rm(there, { recursive: true, force: true })
  }

  async function finish(scratch: string, into: string, wanted: string): Promise<string> {
    const cluster = path.join(scratch, 'cluster')
    await initialise(cluster, scratch)
    if (!isWithin(into, wanted))
      createFile(path.join(cluster, ownerFile), ownerText(wanted), 'owner of the folder')
    fs.renameSync(cluster, into)
    return into
  }
}

/**
 * A cluster in another folder gets a file that names its data directory, when an older version made it or its data directory
 * was moved. Only the holder of the cluster's lock may write it.
 */
export function claimCluster(place: string, wanted: string): void {
  const owner = requireOwn(place, wanted)
  if (owner === 'this') return
  const running = owner === 'nobody' ? findPostmaster(place) : null
  if (running)
    throw new OperatorError(
      `PostgreSQL (process ${running.pid}) runs on ${place}, and nothing says that this belongs to ${wanted}. Stop the Rampart that uses it; when there is none: kill -INT ${running.pid}`,
    )
  const file = path.join(place, ownerFile)
  const written = `${file}.${crypto.randomBytes(6).toString('hex')}`
  createFile(written, ownerText(wanted), 'owner of the folder')
  fs.renameSync(written, file)
}

/** The file `MOVED` names the place. The result is undefined when there is none. */
const readMoved = (wanted: string): string | undefined => findText(path.join(wanted, 'MOVED'))?.trim()

const ownerFile = 'BELONGS_TO'
const ownerText = (wanted: string) => `${fs.realpathSync(wanted)}\n${idOfFolder(wanted)}\n`

/**
 * `renamed` means this data directory, which had another name. The function throws an `OperatorError` for the cluster of
 * another.
 */
function requireOwn(place: string, wanted: string): 'this' | 'renamed' | 'nobody' {
  if (isWithin(place, wanted)) return 'this'
  const [owner, id] = findText(path.join(place, ownerFile))?.split('\n') ?? []
  if (owner === undefined) return 'nobody'
  const samePlace = owner === fs.realpathSync(wanted)
  const sameFolder = id === idOfFolder(wanted)
  if (samePlace || sameFolder) return samePlace && sameFolder ? 'this' : 'renamed'
  const theirs = readMoved(owner)
  if (theirs !== undefined && isWithin(place, theirs))
    throw new OperatorError(
      `${wanted} is a copy that holds no database: its file MOVED names ${place}, which belongs to ${owner}. Start Rampart on ${path.dirname(owner)}; how a copy gets a database of its own stands in docs/configure.md.`,
    )
  return 'nobody'
}

/** The result is the cluster in a folder, or where it can be made there, and undefined when the folder does not exist. */
function locate(folder: string, wanted: string): Cluster | undefined {
  const names = findNames(folder)
  if (!names) return undefined
  if (isHalf(names, wanted)) return { place: folder, exists: false }
  if (names.includes('PG_VERSION')) return { place: folder, exists: true }
  const inside = path.join(folder, 'cluster')
  const foreign = names.find((name) => name !== 'lost+found' && !/^cluster(\.unfinished-\w+)?$/.test(name))
  if (foreign !== undefined || (names.includes('cluster') && !fs.existsSync(path.join(inside, 'PG_VERSION'))))
    throw new OperatorError(
      `${folder} holds "${foreign ?? 'cluster'}", which Rampart did not put there, and no database. Move that elsewhere, or set RAMPART_DATA_DIR to another folder.`,
    )
  return { place: inside, exists: names.includes('cluster') }
}

/**
 * An older version made the cluster in place and an empty file beside it, which it removed at the end. The file is left when
 * initdb was killed. A cluster that PostgreSQL was started on is never half made.
 */
function isHalf(names: readonly string[], wanted: string): boolean {
  const byInitdb = /^(PG_VERSION|base|global|pg_\w+|postgresql(\.auto)?\.conf)$/
  return (
    findText(`${wanted}.unfinished`) === '' && names.length > 0 && names.every((name) => byInitdb.test(name))
  )
}

function setAside(place: string, wanted: string) {
  const aside = `${place}.unfinished-${crypto.randomBytes(6).toString('hex')}`
  fs.renameSync(place, aside)
  fs.rmSync(`${wanted}.unfinished`)
  console.error(`A first start that was killed left half a database, which is now ${aside}. Nothing uses it.`)
}

function makeFor({ uid, gid }: RunAs, place: string): string {
  const made = fs.mkdtempSync(`${place}.unfinished-`)
  if (uid !== undefined && gid !== undefined) fs.chownSync(made, uid, gid)
  return made
}

const isWithin = (place: string, folder: string) => !path.relative(folder, place).startsWith('..')

interface Postmaster {
  readonly pid: number
  readonly port: number
  /** The flag is false where Rampart did not start it, or the system does not show its folder. */
  readonly ours: boolean
}

/** Rampart starts PostgreSQL with these words, and knows its own by them. */
export const postmasterWords = (dataDir: string, port: number): string[] =>
  ['-D', dataDir, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'].concat([
    '-c',
    'unix_socket_directories=',
  ])

/**
 * The result is the PostgreSQL that works in a folder, or null. `postmaster.pid` outlives a `kill -9`, its number may belong
 * to another process by now, and in a copied folder it names the original's PostgreSQL.
 */
export function findPostmaster(dataDir: string): Postmaster | null {
  const [number = '', , , port] = findText(path.join(dataDir, 'postmaster.pid'))?.split('\n') ?? []
  const pid = Number(number)
  const [program = '', ...words] = Number.isInteger(pid) && pid > 0 ? commandOf(pid) : []
  if (path.basename(program) !== 'postgres') return null
  const named = words[1]
  const shaped =
    named !== undefined && postmasterWords(named, Number(words[3])).every((word, n) => words[n] === word)
  const here = worksIn(pid, shaped ? named : undefined, dataDir)
  return here === false ? null : { pid, port: Number(port), ours: here === true && shaped }
}

/** The function stops the PostgreSQL that a killed Rampart left behind in this folder, and no other. */
export async function stopOrphan(dataDir: string): Promise<void> {
  const found = findPostmaster(dataDir)
  if (!found) return fs.rmSync(path.join(dataDir, 'postmaster.pid'), { force: true })
  const { pid, ours } = found
  if (!ours)
    throw new OperatorError(
      `${dataDir}/postmaster.pid names a PostgreSQL (process ${pid}) that Rampart did not start, or cannot tell from another. Stop it first: kill -INT ${pid}`,
    )
  process.kill(pid, 'SIGINT')
  for (let waited = 0; findPostmaster(dataDir)?.pid === pid; waited += 50) {
    if (waited > 15_000)
      throw new OperatorError(
        `The PostgreSQL that an earlier start left in ${dataDir} (process ${pid}) does not end. Stop it first: kill -QUIT ${pid}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * PostgreSQL changes into its folder, so a moved folder is still known. The result is undefined where neither place is
 * shown.
 */
function worksIn(pid: number, named: string | undefined, dataDir: string): boolean | undefined {
  const folder = idOf(`/proc/${pid}/cwd`)
  if (folder !== undefined) return folder === idOfFolder(dataDir)
  if (named === undefined) return undefined
  if (idOf(named) === idOfFolder(dataDir)) return true
  const [holder] = findText(path.join(named, 'postmaster.pid'))?.split('\n') ?? []
  return Number(holder) === pid ? false : undefined
}

function idOf(folder: string): string | undefined {
  try {
    return idOfFolder(folder)
  } catch {
    return undefined
  }
}

/** The list has the words of a process's command, and is empty when the process has ended. */
function commandOf(pid: number): string[] {
  if (fs.existsSync('/proc/self/cmdline')) return findText(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  const [, program = stdout.trim(), dataDir, more = ''] =
    /^(.*?) -D (.+?) (-p \d+ .*)$/s.exec(stdout.trim()) ?? []
  return [program, ...(dataDir === undefined ? [] : ['-D', dataDir]), ...more.split(' ')]
}
