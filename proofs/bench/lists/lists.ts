import path from 'node:path'
import pg from 'pg'
import { type Postgres, startPostgres } from '../../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import type { Caller } from '../../../lib/access/caller.ts'
import { openPool, pool } from '../../../lib/platform/db/pool.ts'
import { makeLists } from '../../../test/lists/make-lists.ts'

const sizes = { small: 100_000, large: 10_000_000 } as const
export type Size = keyof typeof sizes

/** The settings are for filling the databases. A crash loses only data that can be generated again. */
const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_wal_size=8GB']

/** `lib/` needs these settings beside the databases themselves. */
const settingsOfLib = {
  PUBLIC_URL: 'http://localhost:3000',
  DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  SERVICE_BASE_URL: 'http://localhost:1/onboarding',
  SERVICE_API_KEY: 'none',
  NEXTAUTH_SECRET: 'only for a benchmark on this machine',
  RAMPART_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
}

/** The function runs work on one of the two databases, as often as needed. */
type On = <T>(size: Size, work: () => Promise<T>) => Promise<T>

/**
 * Two databases with 100 thousand and 10 million events run on one server with its usual memory, and `lib/` reads the chosen
 * one. With a `folder` they are kept in it for the next time.
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

/** The medians are in milliseconds. */
interface Compared {
  readonly small: number
  readonly large: number
  /** The ratio divides the larger size by the smaller, turn by turn, so that other load on the machine affects both. */
  readonly ratio: number
}

/** The same work runs on both sizes by turns, after a first part that warms up. `clock` measures how long it took. */
export async function compareSizes(
  on: On,
  turns: number,
  work: (size: Size, turn: number) => Promise<void>,
  clock = byTheWall,
): Promise<Compared> {
  const times: Record<Size, number[]> = { small: [], large: [] }
  for (let turn = -turns / 3; turn < turns; turn++) {
    for (const size of turn % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
      const took = await on(size, () => clock(() => work(size, turn + turns)))
      if (turn >= 0) times[size].push(took)
    }
  }
  const ratio = median(times.large.map((large, turn) => large / (times.small[turn] ?? Number.NaN)))
  const [small, large] = [median(times.small), median(times.large)]
  return { small, large, ratio }
}

export const formatComparison = ({ small, large, ratio }: Compared): string =>
  `${large.toFixed(2)} ms at ${sizes.large} events, ${small.toFixed(2)} ms at ${sizes.small}: ${ratio.toFixed(2)}`

async function byTheWall(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/**
 * The result is the database's own milliseconds for all statements of some work, planning included. Each statement is run
 * once more to measure it.
 */
export async function inDatabase(work: () => Promise<unknown>): Promise<number> {
  const database = pool()
  const sent: { sql: string; values: unknown[] }[] = []
  globalThis.rampartPool = new Proxy(database, {
    get: (target, name) =>
      name === 'query'
        ? (sql: string, values: unknown[]) => {
            sent.push({ sql, values })
            return target.query(sql, values)
          }
        : Reflect.get(target, name, target),
  })
  await work().finally(() => {
    globalThis.rampartPool = database
  })
  let total = 0
  for (const { sql, values } of sent) {
    const { rows } = await database.query<{ 'QUERY PLAN': [Timed] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`,
      values,
    )
    for (const { 'QUERY PLAN': plan } of rows) total += plan[0]['Planning Time'] + plan[0]['Execution Time']
  }
  return total
}

interface Timed {
  readonly 'Planning Time': number
  readonly 'Execution Time': number
}

/** This caller may see everything. */
export const staff: Caller = {
  id: '00000000-0000-4000-8000-000000000004',
  sessionId: '00000000-0000-4000-8000-000000000003',
  userUuid: null,
  memberId: '00000000-0000-4000-8000-000000000004',
  role: 'support',
  name: null,
  email: null,
  method: 'passkey',
  signedInAt: '2026-09-01T00:00:00.000Z',
  idleExpiresAt: '2026-09-02T00:00:00.000Z',
  expiresAt: '2026-09-02T00:00:00.000Z',
}
