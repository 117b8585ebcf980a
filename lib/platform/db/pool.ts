import 'server-only'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { env } from '../env.ts'
import { noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { limitConcurrency } from './concurrency.ts'
import { hasNoPlace, settleSession, wasBusy } from './connect.ts'
import { isLockTimeout, sayWhoHolds } from './locks.ts'
import { isDirect, notePooler, withoutLostName } from './plan-once.ts'
import { poolSizes } from './pool-sizes.ts'

/**
 * The pool of the hot paths, one per process: what Next bundles and what the server runs share it. An idle connection
 * that breaks is dropped by the pool and replaced on the next query.
 */
export function pool(): pg.Pool {
  globalThis.rampartPool ??= openPool(env().databaseUrl, poolSizes().pages)
  return globalThis.rampartPool
}

/** PostgreSQL's OID of bigint, which node-postgres reads as text; our order numbers are bigints. */
const bigintOid = 20

/** Milliseconds for a query, unless its pool or the query itself (`query_timeout`) says otherwise. */
const queryTimeoutMs = 30_000

/** Milliseconds in which a server has to answer whoever connects. */
const connectingMs = 3_000

/** Milliseconds for which a connection is waited for while all are in use, or the server has no place: as long as for a query. */
const patienceOf = (limit: number) => Math.min(10_000, Math.max(connectingMs, limit))

/** The words of node-postgres for a query that took longer. */
export const queryTimedOut = 'Query read timeout'

const socketsOf = new WeakMap<pg.Pool, Set<net.Socket>>()

/**
 * A pool that survives the loss and the silence of its server: connecting fails after 3 s, waiting for a place after 10 s, TCP
 * keep-alive starts after 10 s, and a connection whose query had no answer for `limit` milliseconds (30 s by default) is cut. That
 * query fails with "Query read timeout", and so does everything queued on the connection. So is one that answers as
 * no good primary does, see `isOfNoUse`. A lock is waited for half of `limit` at most, and nothing that was given up goes on
 * waiting at the server. Each connection finds out whether it can keep named statements, see `planOnce`.
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
    // The last one is kept, so that no other pool can take every place of the server.
    min: 1,
    connectionTimeoutMillis: patienceOf(limit),
    Client: HastyClient,
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
      await boundWaits(client, limit)
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
  opened.on('connect', (client) => watch(opened, client))
  return opened
}

type WhenConnected = Exclude<Parameters<pg.Pool['connect']>[0], undefined>

/** Connecting takes less patience than waiting for a connection that others use. */
class HastyClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectingMs })
  }
}

/** Waits for a place where the server has none left for another connection, or is starting. */
class PatientPool extends pg.Pool {
  /** Processes of PostgreSQL whose connections were closed with a statement under way. */
  readonly givenUp = new Set<number>()
  readonly #most = this.options.max
  readonly #madeAt = new WeakMap<pg.ClientBase, number>()
  #distrustedAt = Number.NEGATIVE_INFINITY
  readonly #oneByOne = limitConcurrency(1)
  #isShut = false

  /** Those that were made up to now are not used again: they lead to what was the primary. */
  distrust() {
    this.#distrustedAt = performance.now()
  }

  noteMade(client: pg.ClientBase) {
    this.#madeAt.set(client, performance.now())
  }

  override connect(): Promise<pg.PoolClient>
  override connect(whenConnected: WhenConnected): void
  override connect(whenConnected?: WhenConnected): Promise<pg.PoolClient> | undefined {
    const connected = this.#connectUntil(performance.now() + (this.options.connectionTimeoutMillis ?? 0))
    if (!whenConnected) return connected
    connected.then(
      (client) => whenConnected(undefined, client, client.release),
      (error: Error) => whenConnected(error, undefined, () => undefined),
    )
    return undefined
  }

  async #connectUntil(until: number): Promise<pg.PoolClient> {
    const busyUntil = performance.now() + connectingMs
    for (;;) {
      try {
        const client = this.#isShut ? await this.#oneByOne(() => this.#knock()) : await super.connect()
        if ((this.#madeAt.get(client) ?? 0) > this.#distrustedAt) return client
        client.release(true)
      } catch (error) {
        if (wasBusy(error) && performance.now() < busyUntil) continue
        if (!hasNoPlace(error) || performance.now() > until) throw error
        this.#doWithThese()
        this.#isShut = this.totalCount === 0
      }
    }
  }

  /** While it has no connection at all, one at a time asks for a place: each try is work for a server that is short of it. */
  async #knock(): Promise<pg.PoolClient> {
    if (!this.#isShut) return super.connect()
    try {
      const client = await super.connect()
      this.#isShut = false
      return client
    } catch (error) {
      await sleep(100)
      this.#isShut = hasNoPlace(error)
      throw error
    }
  }

  /** For a moment whoever comes waits in the order of coming for one of the connections that there are. */
  #doWithThese() {
    if (this.options.max === this.#most) setTimeout(() => this.#openMore(), 1_000).unref()
    this.options.max = Math.max(1, this.totalCount)
  }

  #openMore() {
    this.options.max = this.#most
  }
}

/**
 * PostgreSQL looks every 2 s whether the connection of a statement still stands, and what was given up is not worked on. A system
 * that cannot look says so. Whoever set a shorter wait for locks keeps it.
 */
async function boundWaits(client: pg.ClientBase, limit: number) {
  const most = Math.round(limit / 2)
  await client.query(
    `SELECT set_config('lock_timeout', '${most}', false) FROM (SELECT current_setting('lock_timeout')::interval AS set) AS now
     WHERE set = '0' OR set > '${most} ms'`,
  )
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
 * node-postgres fails the query that timed out, but leaves later queries queued behind it: the connection is closed. A statement
 * that is under way when its connection is closed is given up at the server too.
 */
function watch(opened: PatientPool, client: pg.ClientBase) {
  opened.noteMade(client)
  if (!(client instanceof pg.Client)) return
  const ask = client.query.bind(client)
  const fail = (error: unknown) => {
    if (isLockTimeout(error)) sayWhoHolds(opened)
    if (leadsElsewhere(error)) opened.distrust()
    // With a query under way, `end` destroys the connection.
    if (hasTimedOut(error) || isOfNoUse(error)) void client.end()
  }
  const watched = (...words: Parameters<typeof ask>) => {
    const given = withoutLostName(client, words)
    const whenAnswered = given.at(-1)
    if (typeof whenAnswered !== 'function') {
      const answer: unknown = Reflect.apply(ask, client, given)
      if (answer instanceof Promise) answer.catch(fail)
      return answer
    }
    const heard = (error: unknown, result: unknown) => {
      fail(error)
      Reflect.apply(whenAnswered, undefined, [error, result])
    }
    return Reflect.apply(ask, client, given.with(-1, heard))
  }
  client.query = watched as typeof client.query
  const end = client.end.bind(client)
  const endAll = async (whenEnded?: () => void) => {
    if (isUnderWay(client)) await giveUpAtServer(opened, client)
    await end()
    whenEnded?.()
  }
  client.end = endAll as typeof client.end
}

const hasTimedOut = (error: unknown) => error instanceof Error && error.message === queryTimedOut

/** Whether the server has not answered a statement, which node-postgres itself may have given up. */
const isUnderWay = (client: pg.Client): boolean => '_activeQuery' in client && client._activeQuery !== null

/**
 * Nobody waits for it any more, and each would keep a place at the server. PostgreSQL itself sees that a connection is gone, but not
 * behind a pooler, nor in a commit that waits for a standby: such a commit is written here, and was acknowledged to nobody.
 */
async function giveUpAtServer(opened: PatientPool, client: pg.Client): Promise<void> {
  sayWhoHolds(opened)
  const { process, secret } = keyOf(client)
  if (!isDirect(client)) return cancel(client, process, secret)
  opened.givenUp.add(process)
  if (opened.givenUp.size === 1) setTimeout(() => void letCommitsGo(opened), letGoAfterMs).unref()
}

/** Milliseconds, in which most end by themselves. */
const letGoAfterMs = 1_000

async function letCommitsGo(opened: PatientPool) {
  const processes = [...opened.givenUp]
  opened.givenUp.clear()
  await opened.query(LET_GO, [processes]).catch(goesOnWaiting)
}

const LET_GO = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = ANY($1) AND wait_event = 'SyncRep'`

const goesOnWaiting = noting(logOf('database'))('debug', 'A commit that was given up waits for a standby')

const keyOf = (client: pg.Client) => ({
  process: 'processID' in client ? Number(client.processID) : 0,
  secret: 'secretKey' in client ? Number(client.secretKey) : 0,
})

/** The protocol's request to cancel, which a pooler passes on to the process that works for this connection. */
async function cancel({ host, port }: pg.Client, process: number, secret: number): Promise<void> {
  const request = Buffer.alloc(16)
  for (const [index, word] of [request.length, cancelRequestCode, process, secret].entries())
    request.writeInt32BE(word, 4 * index)
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.on('error', noting(logOf('database'))('debug', 'A statement could not be cancelled'))
    socket.setTimeout(cancellingMs, () => socket.destroy())
    // The other side closes it once it has passed the request on.
    socket.write(request)
  })
}

const cancelRequestCode = 80_877_102

/** Milliseconds for a request to cancel. */
const cancellingMs = 1_000

/**
 * Whether the database answered as no good primary does: read-only, without rights on our own tables, short of something, in
 * recovery or ending. The same connection would answer so for as long as it lives, even when the database is well
 * again, or is another one at the same address.
 */
export const isOfNoUse = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (/^(25006|28|3D|42501|53|57P|58)/.test(error.code ?? '') || isOfPooler(error))

/** Whether the same may do well on another connection, or in a moment: somebody was in the way, or cancelled it. */
export const mayPass = (error: unknown): boolean =>
  isOfNoUse(error) || (error instanceof pg.DatabaseError && /^(40|55P03|57014)/.test(error.code ?? ''))

/** Read-only, or ending: what holds for one connection holds for all that were made before. */
const leadsElsewhere = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(25006|57P)/.test(error.code ?? '')

/**
 * Whether a pooler said it, which knows no row: "internal error" is what many say of everything. PostgreSQL itself names the
 * place in its source.
 */
export const isOfPooler = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(XX|$)/.test(error.code ?? '') && error.file === undefined

/** Whether a row is the cause: cardinality, data, integrity, a view's check, a limit passed, a trigger, an internal error. */
export const isOfRow = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(2[123]|44|54|P0|XX)/.test(error.code ?? '') && !isOfPooler(error)

/** The query that waits on this connection gets the error; the pool makes another connection. */
const lost = noting(logOf('database'))('debug', 'A connection of a pool was lost')

declare global {
  var rampartPool: pg.Pool | undefined
}
