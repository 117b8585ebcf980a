import 'server-only'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export interface Migration {
  readonly name: string
  readonly sql: string
  /** As Prisma reckons it: SHA-256 of the file. */
  readonly checksum: string
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
      const sql = fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')
      const checksum = crypto.createHash('sha256').update(sql).digest('hex')
      return { name, sql, checksum, concurrently: sql.split('\n')[0]?.trim() === concurrentlyMark }
    })
}
