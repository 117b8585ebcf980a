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

/** The embedded PostgreSQL with a new cluster below `parent`, for a test, a proof or a benchmark called `name`. */
export async function startTemporaryPostgres(
  name: string,
  settings: readonly string[] = [],
  parent = os.tmpdir(),
): Promise<TemporaryPostgres> {
  const folder = fs.mkdtempSync(path.join(parent, `rampart-${name}-`))
  // As root it runs as another user, who has to get here.
  fs.chmodSync(folder, 0o711)
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    password: 'temporary',
    logFile: path.join(folder, 'postgres.log'),
    settings,
  })
  const remove = () => fs.rmSync(folder, { recursive: true, force: true })
  // Also when the process is interrupted: PostgreSQL would outlive it.
  const leave = () => {
    postgres.quit()
    for (let tries = 0; fs.existsSync(folder) && tries < 40; tries++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      try {
        remove()
      } catch {
        // PostgreSQL still writes there.
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
