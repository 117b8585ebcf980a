import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import pg from 'pg'

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
 * The search path alone selects a namespace's tables and queue, so no statement names a schema. Times arrive in one format,
 * whatever the database sets.
 */
export function openPool(connectionString: string, settings: PoolSettings = {}): pg.Pool {
  const { searchPath, max = 16, idleTimeoutMillis = 10_000, lost = () => {} } = settings
  const session = `SET DateStyle = ISO; ${searchPath ? `SET search_path = ${searchPath}` : alsoSearchQueue}`
  const pool = new PatientPool({
    connectionString,
    max,
    idleTimeoutMillis,
    application_name: 'sandbox',
    onConnect: async (client) => void (await client.query(session)),
  })
  pool.on('error', lost)
  pool.on('connect', (client) => client.on('error', lost))
  return pool
}

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
