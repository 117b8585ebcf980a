import 'server-only'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export interface Migration {
  readonly name: string
  readonly sql: string
  /** As Prisma reckons it: SHA-256 of the file, whose lines end with LF. */
  readonly checksum: string
  /** What a clone recorded whose lines ended with CR and LF, as git makes them on Windows where it may. */
  readonly checksumWithCr: string
  /** Its first line is `-- rampart: concurrently`: it makes and drops indexes, and nothing else. */
  readonly concurrently: boolean
}

const concurrentlyMark = '-- rampart: concurrently'

/** The migrations of `folder`, oldest first. */
export function readMigrations(folder: string): Migration[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8').replaceAll('\r\n', '\n')
      return {
        name,
        sql,
        checksum: digest(sql),
        checksumWithCr: digest(sql.replaceAll('\n', '\r\n')),
        concurrently: sql.split('\n')[0]?.trim() === concurrentlyMark,
      }
    })
}

const digest = (text: string) => crypto.createHash('sha256').update(text).digest('hex')
