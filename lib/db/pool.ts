import 'server-only'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { env } from '#lib/env.ts'
import { noting } from '#lib/log/noting.ts'
import { logOf } from '#lib/log.ts'
import { settleSession } from './connect.ts'
import { isDirect, notePooler, withoutLostName } from './plan-once.ts'

/**
 * The pool of the hot paths, one per process: what Next bundles and what the server runs share it. An idle connection
 * that breaks is dropped by the pool and replaced on the next query.
 */
export function pool(): pg.Pool {
  globalThis.rampartPool ??= openPool(env().databaseUrl)
  return globalThis.rampartPool
}

/** PostgreSQL's OID of bigint, which node-postgres reads as text; our order numbers are bigints. */
const bigintOid = 20

/** Milliseconds for a query, unless its pool or the query itself (`query_timeout`) says otherwise. */
const queryTimeoutMs = 30_000

/** Milliseconds for a connection. */
const connectingMs = 3_000

/** The words of node-postgres for a query that took longer. */
export const queryTimedOut = 'Query read timeout'

const socketsOf = new WeakMap<pg.Pool, Set<net.Socket>>()

/**
 * A pool that survives the loss and the silence of its server: connecting fails after 3 s, in which it waits for a place, TCP
 * keep-alive starts after 10 s, and a connection whose query had no answer for `limit` milliseconds (30 s by default) is cut. That
 * query fails with "Query read timeout", and so does everything queued on the connection. So is one that answers as
 * no good primary does, see `isOfNoUse`. Each connection finds out whether it can keep named statements, see `planOnce`.
 * @param max connections
 * @param onConnect runs on each new connection that ends at PostgreSQL itself, so that it may set what lasts as long: behind a
 * pooler that would reach others
 */
export function openPool(
  connectionString: string,
  max = 10,
  limit = queryTimeoutMs,
  onConnect?: (client: pg.ClientBase) => Promise<void>,
): pg.Pool {
  const sockets = new Set<net.Socket>()
  const opened = new PatientPool({
    connectionString,
    max,
    connectionTimeoutMillis: connectingMs,
    fallback_application_name: 'rampart',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: limit,
    onConnect: async (client) => {
      // Without a listener the loss of a connection would end the process: also of one that is being settled.
      client.on('error', lost)
      await notePooler(client)
      await settleSession(client)
      if (!isDirect(client)) return
      await stopWhenCut(client)
      await onConnect?.(client)
    },
    stream: () => {
      const socket = new net.Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    types: {
      getTypeParser: (oid, format) => (oid === bigintOid ? BigInt : pg.types.getTypeParser(oid, format)),
    },
  })
  socketsOf.set(opened, sockets)
  opened.on('error', lost)
  opened.on('connect', cutWhenOfNoUse)
  return opened
}

type WhenConnected = Exclude<Parameters<pg.Pool['connect']>[0], undefined>

/** Waits for a place where the server has none left for another connection, or is starting. */
class PatientPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(whenConnected: WhenConnected): void
  override connect(whenConnected?: WhenConnected): Promise<pg.PoolClient> | undefined {
    const connected = this.#connectUntil(performance.now() + connectingMs)
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

/** Too many connections, or starting up. */
const hasNoPlace = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(53300|57P03)$/.test(error.code ?? '')

/**
 * PostgreSQL looks every 2 s whether the connection of a statement still stands: what was given up is not worked on. A system
 * that cannot look says so.
 */
async function stopWhenCut(client: pg.ClientBase) {
  await client.query(`SET client_connection_check_interval = '2s'`).catch(cannotLook)
}

const cannotLook = noting(logOf('database'))(
  'debug',
  'PostgreSQL does not look whether a connection still stands',
)

/**
 * Closes every connection of the pool, in use or idle: pending queries fail, and the pool opens new
 * connections on demand.
 */
export function cutConnections(opened: pg.Pool): void {
  for (const socket of socketsOf.get(opened) ?? []) socket.destroy()
}

/**
 * node-postgres fails the query that timed out, but leaves later queries queued behind it: close the
 * connection.
 */
function cutWhenOfNoUse(client: pg.ClientBase) {
  const ask = client.query.bind(client)
  const watched = (...words: Parameters<typeof ask>) => {
    const answer: unknown = Reflect.apply(ask, client, withoutLostName(client, words))
    if (answer instanceof Promise)
      answer.catch((error: Error) => {
        // With a query under way, `end` destroys the connection.
        if ((error.message === queryTimedOut || isOfNoUse(error)) && client instanceof pg.Client)
          void client.end()
      })
    return answer
  }
  client.query = watched as typeof client.query
}

/**
 * Whether the database answered as no good primary does: read-only, without rights on our own tables, short of something, in
 * recovery or ending. The same connection would answer so for as long as it lives, even when the database is well
 * again, or is another one at the same address.
 */
export const isOfNoUse = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(25006|28|3D|42501|53|57P|58)/.test(error.code ?? '')

/** The query that waits on this connection gets the error; the pool makes another connection. */
const lost = noting(logOf('database'))('debug', 'A connection of a pool was lost')

declare global {
  var rampartPool: pg.Pool | undefined
}
