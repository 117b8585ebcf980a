import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { librariesOf, unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { CannotRunHere } from './fault-test.ts'

/** Debian's PostgreSQL 15: what the embedded one lacks, such as other languages and `pg_dump`. Throws `CannotRunHere`. */
export async function findDebianPostgres(): Promise<{
  /** The folder with `bin/postgres`. */
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

/** Root has PostgreSQL run as another user, who may not get to the project. The copy is gone with the proof. */
function copyForOthers(packages: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-postgresql-'))
  fs.chmodSync(folder, 0o755)
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  fs.cpSync(packages, folder, { recursive: true, verbatimSymlinks: true })
  return folder
}

const postgresPaths = '/usr/lib/postgresql/*/bin/postgres'
