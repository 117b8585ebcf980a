import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Postgres, startPostgres } from './postgres.ts'

export interface TemporaryPostgres extends Postgres {
  /** The folder also holds other files that are removed with it. */
  readonly folder: string
  /** The function creates a database, empty or a copy of another, and answers its address. */
  create(database: string, copyOf?: string): Promise<string>
  /** The server ends, and its folder is removed. */
  stop(): Promise<void>
}

/** The embedded PostgreSQL has a new cluster below `parent`, for a test, a proof or a benchmark called `name`. */
export async function startTemporaryPostgres(
  name: string,
  settings: readonly string[] = [],
  parent = os.tmpdir(),
): Promise<TemporaryPostgres> {
  const folder = fs.mkdtempSync(path.join(parent, `rampart-${name}-`))
  // When root runs it, PostgreSQL runs as another user, who needs access here.
  fs.chmodSync(folder, 0o711)
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    password: 'temporary',
    logFile: path.join(folder, 'postgres.log'),
    settings,
  })
  const remove = () => fs.rmSync(folder, { recursive: true, force: true })
  // The cleanup also runs when the process is interrupted, because PostgreSQL would outlive it.
  const leave = () => {
    postgres.quit()
    for (let tries = 0; fs.existsSync(folder) && tries < 40; tries++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      try {
        remove()
      } catch {
        // PostgreSQL is still writing there.
      }
    }
  }
  process.once('exit', leave)
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
      process.off('exit', leave)
      await postgres.stop()
      remove()
    },
  }
}
