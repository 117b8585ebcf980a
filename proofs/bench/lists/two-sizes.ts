import path from 'node:path'
import pg from 'pg'
import { type Postgres, startPostgres } from '../../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { makeLists } from '../../../test/lists/make-lists.ts'

export const sizes = { small: 100_000, large: 10_000_000 } as const
export type Size = keyof typeof sizes

/** For the load: what a crash would lose is made again. */
const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_wal_size=8GB']

/** What reading asks for beside the databases themselves. */
const settingsOfLib = {
  PUBLIC_URL: 'http://localhost:3000',
  DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  SERVICE_BASE_URL: 'http://localhost:1/onboarding',
  SERVICE_API_KEY: 'none',
  NEXTAUTH_SECRET: 'only for a benchmark on this machine',
  RAMPART_KEYS: `bench:${Buffer.alloc(32).toString('base64')}`,
}

/** Runs something on either of two databases, as often as wanted. */
export type On = <T>(size: Size, work: () => Promise<T>) => Promise<T>

/**
 * Two databases with 100 thousand and 10 million events, on one server with its usual memory; `lib/` reads the one that
 * is chosen. With a `folder` they are kept in it for the next time.
 */
export async function withTwoSizes(folder: string | undefined, measure: (on: On) => Promise<void>) {
  Object.assign(process.env, settingsOfLib)
  const postgres = folder ? await startKept(folder) : await startTemporaryPostgres('lists', settings)
  try {
    const pools = {
      small: openPool(await fill(postgres, 'small')),
      large: openPool(await fill(postgres, 'large')),
    }
    await measure(async (size, work) => {
      globalThis.rampartPool = pools[size]
      return work()
    })
    for (const pool of Object.values(pools)) await pool.end()
  } finally {
    await postgres.stop()
  }
}

const startKept = (folder: string) =>
  startPostgres({
    dataDir: path.join(folder, 'postgres'),
    password: 'temporary',
    logFile: path.join(folder, 'postgres.log'),
    settings,
  })

/** A database gets its name when it is complete. */
async function fill(postgres: Postgres, size: Size): Promise<string> {
  const name = `lists_${sizes[size]}`
  const admin = new pg.Client({ connectionString: postgres.url('postgres') })
  await admin.connect()
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])
  if (rowCount === 0) {
    const from = performance.now()
    await admin.query('DROP DATABASE IF EXISTS unfinished WITH (FORCE)')
    await admin.query('CREATE DATABASE unfinished')
    await makeLists(postgres.url('unfinished'), sizes[size])
    await admin.query(`ALTER DATABASE unfinished RENAME TO ${name}`)
    console.log(`${sizes[size]} events made in ${Math.round((performance.now() - from) / 1000)} s`)
  }
  await admin.end()
  return postgres.url(name)
}
