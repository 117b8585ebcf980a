import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Postgres, startPostgres } from './postgres.ts'

export interface TemporaryPostgres extends Postgres {
  /** For whatever else is to vanish with it. */
  readonly folder: string
  /** Makes a database, empty or a copy of another, and answers its address. */
  create(database: string, copyOf?: string): Promise<string>
  /** Ends it, and removes its folder. */
  stop(): Promise<void>
}

/** The embedded PostgreSQL with a new cluster, for a test, a proof or a benchmark called `name`. */
export async function startTemporaryPostgres(
  name: string,
  settings: readonly string[] = [],
): Promise<TemporaryPostgres> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `rampart-${name}-`))
  // As root it runs as another user, who has to get here.
  fs.chmodSync(folder, 0o711)
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    password: 'temporary',
    logFile: path.join(folder, 'postgres.log'),
    settings,
  })
  return {
    ...postgres,
    folder,
    async create(database, copyOf) {
      const admin = new pg.Client({ connectionString: postgres.url('postgres') })
      await admin.connect()
      await admin.query(`CREATE DATABASE "${database}"${copyOf ? ` TEMPLATE "${copyOf}"` : ''}`)
      await admin.end()
      return postgres.url(database)
    },
    async stop() {
      await postgres.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
