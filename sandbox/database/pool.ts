import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg, { Client, type Pool, type PoolClient } from 'pg'

interface PoolSettings {
  /** A namespace searches these schemas. Without them the database's own search path and the queue's schema apply. */
  readonly searchPath?: string | undefined
  readonly max?: number
  /** A connection that nobody uses is closed after this many milliseconds; 0 keeps it. */
  readonly idleTimeoutMillis?: number
  /** The callback hears of each broken connection. Its statement fails by itself. */
  readonly lost?: (error: Error) => void
}

/**
 * The search path alone selects a namespace's tables and queue, so no statement names a schema. Times arrive in one format
 * and zone, whatever the database sets.
 */
export function openPool(connectionString: string, settings: PoolSettings = {}): pg.Pool {
  const { searchPath, max = 16, idleTimeoutMillis = 10_000, lost = () => {} } = settings
  const session = `SET DateStyle = ISO; SET TimeZone = 'UTC'; ${searchPath ? `SET search_path = ${searchPath}` : alsoSearchQueue}`
  const pool = new PatientPool({
    connectionString,
    max,
    idleTimeoutMillis,
    application_name: 'sandbox',
    onConnect: async (client) => void (await client.query(session)),
  })
  pool.on('error', lost)
  pool.on('connect', (client) => {
    client.on('error', lost)
    // The queue and `transaction` give a connection back without its error. The pool drops one that has ended.
    client.connection.on('errorMessage', (error: unknown) => {
      if (isOfNoUse(error)) void client.end()
    })
  })
  return pool
}

/**
 * `isOfNoUse` is true when the database is read-only, refuses the login, is out of resources or shuts down. A connection that
 * was made then would go on to answer so when the database is well again.
 */
const isOfNoUse = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(25006|28|3D|53|57P)/.test(error.code ?? '')

type WhenConnected = Exclude<Parameters<pg.Pool['connect']>[0], undefined>

/** The pool waits when the server has no free connection, because a refused connection would end the queue. */
class PatientPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(whenConnected: WhenConnected): void
  override connect(whenConnected?: WhenConnected): Promise<pg.PoolClient> | undefined {
    const connected = this.#connectUntil(performance.now() + waitingMs)
    if (!whenConnected) return connected
    connected.then(
      (client) => whenConnected(undefined, client, client.release),
      (error: Error) => whenConnected(error, undefined, () => undefined),
    )
    return undefined
  }

  async #connectUntil(until: number): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await super.connect()
      } catch (error) {
        if (!hasNoPlace(error) || performance.now() > until) throw error
        await sleep(100)
      }
    }
  }
}

const waitingMs = 10_000

const hasNoPlace = (error: unknown) => error instanceof pg.DatabaseError && error.code === '53300'

/** The schema holds the queue of a namespace, or of the sandbox itself. */
export const queueSchemaOf = (schema: string | undefined) => (schema ? `${schema}_queue` : 'graphile_worker')

const alsoSearchQueue = `SELECT set_config('search_path',
  concat_ws(', ', nullif(current_setting('search_path'), ''), '${queueSchemaOf(undefined)}'), false)`

/** A client runs statements: the pool, or a connection inside a transaction. */
export type QueryClient = Pick<PoolClient, 'query'>

/** The caller gets the error that made the transaction fail. A lost connection has already rolled back. */
const leaveToCause = () => undefined

export async function transaction<Result>(pool: Pool, work: (database: QueryClient) => Promise<Result>) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(leaveToCause)
    throw error
  } finally {
    client.release()
  }
}

const folder = new URL('../migrations/', import.meta.url)

/** The function applies the numbered files that this database has not seen, in order, each in its own transaction. */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await client.query(
      'CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL)',
    )
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migration')
    const applied = new Set(rows.map((row) => row.name))
    const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
    for (const name of files.filter((file) => !applied.has(file))) {
      const sql = await readFile(new URL(name, folder), 'utf8')
      await client.query(`BEGIN; ${sql}; INSERT INTO migration VALUES ('${name}', now()); COMMIT`)
    }
    await client.query('SELECT pg_advisory_unlock($1)', [migrationLock])
  } finally {
    client.release(true)
  }
}

const migrationLock = 4_010_001

interface Claim {
  release(): Promise<void>
  /** The promise rejects when another sandbox has the database, because the connection of the claim was lost. */
  readonly lost: Promise<never>
}

/**
 * The claim makes this process the only sandbox on its database until `release`. It waits for a predecessor that was just
 * killed, and answers undefined when another sandbox keeps running. It throws where the database is not UTF8. A claim whose
 * connection is lost is taken again, once its session has ended: PostgreSQL may still have it.
 */
export async function claimDatabase(url: string): Promise<Claim | undefined> {
  const sessions: Session[] = []
  let held = await takeClaim(url, sessions)
  if (!held) return undefined
  let isReleased = false
  const lost = Promise.withResolvers<never>()
  // Nobody waits for it during a start.
  lost.promise.catch(leaveToCause)
  keep(held)

  function keep(client: Client) {
    held = client
    client.once('end', () => void takeAgain())
  }

  async function takeAgain() {
    while (!isReleased) {
      const taken = await takeClaim(url, sessions).catch((error: Error) => error)
      if (taken instanceof Error) await sleep(200)
      else if (!taken)
        return lost.reject(new Error('Another sandbox has taken the database of SANDBOX_DATABASE_URL'))
      else if (isReleased) return taken.end()
      else return keep(taken)
    }
    return undefined
  }

  return {
    lost: lost.promise,
    async release() {
      isReleased = true
      await held?.end()
    },
  }
}

/** PostgreSQL gives the number of a session that has ended to another, which began later. */
interface Session {
  readonly pid: number
  readonly began: string
}

/** The client holds the lock as long as it is connected. Earlier `sessions` of this claim are ended, and its own is added. */
async function takeClaim(url: string, sessions: Session[]): Promise<Client | undefined> {
  const client = new Client({ connectionString: url, application_name: 'sandbox', keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows: kept } = await client.query<{ server_encoding: string }>('SHOW server_encoding')
    const encoding = kept[0]?.server_encoding
    if (encoding !== 'UTF8')
      throw new Error(
        `its encoding is ${encoding}, and the sandbox needs UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
      )
    const { rows: own } = await client.query<Session>(
      `SELECT pid, extract(epoch FROM backend_start)::text AS began FROM pg_stat_activity
       WHERE pid = pg_backend_pid()`,
    )
    await client.query(
      `SELECT pg_terminate_backend(pid)
       FROM pg_stat_activity JOIN json_to_recordset($1) AS earlier (pid int, began text) USING (pid)
       WHERE extract(epoch FROM backend_start)::text = began`,
      [JSON.stringify(sessions)],
    )
    sessions.splice(0, sessions.length, ...own)
    for (let tries = 0; tries < 25; tries++) {
      const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
        claimLock,
      ])
      if (rows[0]?.mine) return client
      await sleep(200)
    }
  } catch (error) {
    await client.end()
    throw error
  }
  await client.end()
  return undefined
}

const claimLock = 4_010_002
