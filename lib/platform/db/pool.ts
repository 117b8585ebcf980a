import 'server-only'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { env } from '../env.ts'
import { noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { beginStatement } from '../tracing.ts'
import { limitConcurrency } from './concurrency.ts'
import {
  boundWaits,
  hasNoPlace,
  isAway,
  isOfNoUse,
  leadsElsewhere,
  settleSession,
  TimedClient,
  takesWrites,
  wasBusy,
} from './connect.ts'
import { isLockTimeout, sayWhoHolds } from './locks.ts'
import { poolSizes } from './pool-sizes.ts'
import { isDirect, notePooler, statementText, withoutLostName } from './statements.ts'

/**
 * Each process has one pool for frequent statements, which Next's bundle and the server share. The pool drops an idle
 * connection that breaks, and replaces it on the next query.
 */
export function pool(): pg.Pool {
  globalThis.rampartPool ??= outlastFailOver(openPool(env().databaseUrl, poolSizes().pages))
  return globalThis.rampartPool
}

/** A fail-over may take this many milliseconds, from the first failure on. Then everything fails at once. */
const failOverMs = 15_000

/** Pauses between two attempts during a fail-over, in milliseconds. */
const failOverPauseMs = 200

/** A connection on which people wait is asked again after this many milliseconds whether its server takes writes. */
const trustedMs = 1_000

/** PostgreSQL's OID of bigint is 20. node-postgres reads it as text, but our order numbers are bigints. */
const bigintOid = 20

/** A query may take this many milliseconds, unless its pool or the query itself (`query_timeout`) has another limit. */
const queryTimeoutMs = 30_000

/** A server must answer a new connection within this many milliseconds. */
const connectingMs = 3_000

/**
 * A query waits this many milliseconds for a free connection or a slot at the server, as long as the query itself may take.
 */
const patienceOf = (limit: number) => Math.min(10_000, Math.max(connectingMs, limit))

/** node-postgres uses this message for a query that took longer. */
export const queryTimedOut = 'Query read timeout'

const socketsOf = new WeakMap<pg.Pool, Set<net.Socket>>()

/**
 * `openPool` opens a pool that survives a lost or silent server. Connecting fails after 3 s, waiting for a slot after 10 s.
 * A connection without an answer for `limit` milliseconds (30 s by default) is closed, also after an answer that
 * `isOfNoUse`: its queries fail. A lock is waited for at most half of `limit`.
 * @param max connections
 * @param onConnect runs on each new direct connection, to set what lasts as long. Behind a pooler it would affect others
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
    // The last connection is kept, so that no other pool can take every slot of the server.
    min: 1,
    connectionTimeoutMillis: patienceOf(limit),
    Client: HastyClient,
    fallback_application_name: 'rampart',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: limit,
    onConnect: async (client) => {
      // Without a listener, the loss of a connection would end the process, even while the connection is being set up.
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

/** Connecting has a shorter limit than waiting for a connection in use. */
class HastyClient extends TimedClient {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectingMs })
  }
}

/** `PatientPool` waits while the server has no slot for another connection, or is starting. */
class PatientPool extends pg.Pool {
  /** These PostgreSQL processes lost their connection during a statement. */
  readonly givenUp = new Set<number>()
  readonly #most = this.options.max
  /**
   * These connections are open. The time is when each was made, or when `#isTrusted` asked it last. `totalCount` also has
   * those that are being made.
   */
  readonly #trustedAt = new Map<pg.ClientBase, number>()
  #distrustedAt = Number.NEGATIVE_INFINITY
  readonly #oneByOne = limitConcurrency(1)
  #isShut = false
  /** The pool waits while the database moves to another server. */
  outlastsFailOver = false
  #wasReached = false
  #awaySince: number | null = null

  /** Connections made before now are not used again, because they lead to the former primary. */
  distrust() {
    this.#distrustedAt = performance.now()
  }

  noteMade(client: pg.ClientBase) {
    this.#trustedAt.set(client, performance.now())
    client.once('end', () => this.#trustedAt.delete(client))
    this.#wasReached = true
    this.noteAnswer()
  }

  /** The database answers again, also where no connection had to be made. */
  noteAnswer() {
    this.#awaySince = null
  }

  /**
   * `outlast` waits for a moment, and is true when the same may succeed then. A database that was never reached does not fail
   * over.
   * @param since when the caller failed first: it does not wait for ever while the database answers others
   */
  async outlast(error: unknown, since: number): Promise<boolean> {
    if (!this.outlastsFailOver || !this.#wasReached || !isAway(error)) return false
    this.#awaySince ??= performance.now()
    if (performance.now() - Math.min(this.#awaySince, since) > failOverMs) return false
    await sleep(failOverPauseMs)
    return true
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
    let failedAt: number | undefined
    for (;;) {
      try {
        const client = this.#isShut ? await this.#oneByOne(() => this.#knock()) : await super.connect()
        if (await this.#isTrusted(client)) return client
        client.release(true)
      } catch (error) {
        if (wasBusy(error) && performance.now() < busyUntil) continue
        failedAt ??= performance.now()
        if (await this.outlast(error, failedAt)) continue
        if (!hasNoPlace(error) || performance.now() > until) throw error
        this.#doWithThese()
        this.#isShut = this.#trustedAt.size === 0
      }
    }
  }

  /**
   * A pool that only reads hears no refusal from a standby or a fenced former primary, and would read there for ever. The
   * connection that replaces this one is used in any case, so people also read while nothing else is there.
   */
  async #isTrusted(client: pg.PoolClient): Promise<boolean> {
    const [since, now] = [this.#trustedAt.get(client) ?? Number.NEGATIVE_INFINITY, performance.now()]
    if (since <= this.#distrustedAt) return false
    if (!this.outlastsFailOver || now - since < trustedMs) return true
    this.#trustedAt.set(client, now)
    return takesWrites(client).catch((error: unknown) => {
      client.release(true)
      throw error
    })
  }

  /**
   * Without any connection, one caller at a time asks for a slot, because each try costs a server that is short of slots.
   */
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

  /**
   * For a second callers wait, in order, for one of the existing connections. Without this pause each refused attempt would
   * begin the next, more than a thousand in a second.
   */
  #doWithThese() {
    if (this.options.max === this.#most) setTimeout(() => this.#openMore(), 1_000).unref()
    this.options.max = Math.max(1, this.#trustedAt.size)
  }

  #openMore() {
    this.options.max = this.#most
  }
}

/**
 * People wait while the database moves to another server, instead of reading that it is away: the pool keeps trying to
 * connect, and repeats statements that only read. Decision 0155.
 */
export function outlastFailOver<Opened extends pg.Pool>(opened: Opened): Opened {
  if (!(opened instanceof PatientPool)) return opened
  opened.outlastsFailOver = true
  const ask = opened.query.bind(opened)
  const repeated = (...words: Parameters<typeof ask>) =>
    onlyReads(words[0]) ? repeatOnFailOver(opened, () => ask(...words)) : ask(...words)
  opened.query = repeated as typeof opened.query
  return opened
}

/** `work` runs again while the database moves to another server. It only reads, or may take effect twice. */
export async function repeatOnFailOver<T>(
  opened: Pick<pg.Pool, 'query'>,
  work: () => T,
): Promise<Awaited<T>> {
  if (!(opened instanceof PatientPool)) return await work()
  let failedAt: number | undefined
  for (;;) {
    try {
      const done = await work()
      opened.noteAnswer()
      return done
    } catch (error) {
      failedAt ??= performance.now()
      if (!(await opened.outlast(error, failedAt))) throw error
    }
  }
}

/** A statement that begins as a read may write in a part of it, or by a function. */
function onlyReads(statement: unknown): boolean {
  const text = statementText(statement)
  return /^\s*(SELECT|WITH)\b/i.test(text) && !writes.test(text)
}

const writes =
  /\b(insert|update|delete|merge|lock|notify|nextval|setval|set_config|pg_\w*(advisory|notify|cancel|terminate)\w*|erase_\w+|expire_\w+)\b/i

/**
 * `cutConnections` closes every connection of the pool, in use or idle. Pending queries fail, and the pool opens new
 * connections on demand.
 */
export function cutConnections(opened: pg.Pool): void {
  for (const socket of socketsOf.get(opened) ?? []) socket.destroy()
}

/**
 * node-postgres fails a query that timed out, but leaves later queries waiting behind it, so the connection is closed. A
 * statement that is running then is also stopped at the server.
 */
function watch(opened: PatientPool, client: pg.ClientBase) {
  opened.noteMade(client)
  if (!(client instanceof pg.Client)) return
  const ask = client.query.bind(client)
  const fail = (error: unknown) => {
    if (isLockTimeout(error)) sayWhoHolds(opened)
    if (leadsElsewhere(error)) opened.distrust()
    // With a running query, `end` destroys the connection.
    if (hasTimedOut(error) || isOfNoUse(error)) void client.end()
  }
  const watched = (...words: Parameters<typeof ask>) => {
    const given = withoutLostName(client, words)
    const whenAnswered = given.at(-1)
    const span = beginStatement(given[0])
    const ended = (error: unknown) => {
      span?.end(error)
      fail(error)
    }
    if (typeof whenAnswered !== 'function') {
      const answer: unknown = Reflect.apply(ask, client, given)
      if (answer instanceof Promise) answer.then(() => span?.end(), ended)
      else span?.end()
      return answer
    }
    const heard = (error: unknown, result: unknown) => {
      ended(error)
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

/** `isUnderWay` is true while the server has not answered a statement, which node-postgres itself may have given up. */
const isUnderWay = (client: pg.Client): boolean => '_activeQuery' in client && client._activeQuery !== null

/**
 * An abandoned statement would keep a slot at the server. PostgreSQL notices a lost connection, but not behind a pooler, and
 * not in a commit that waits for a standby. Such a commit is written on this server, and was confirmed to nobody.
 */
async function giveUpAtServer(opened: PatientPool, client: pg.Client): Promise<void> {
  sayWhoHolds(opened)
  const { process, secret } = keyOf(client)
  if (!isDirect(client)) return cancel(client, process, secret)
  opened.givenUp.add(process)
  if (opened.givenUp.size === 1) setTimeout(() => void letCommitsGo(opened), letGoAfterMs).unref()
}

/** Most statements end by themselves within this many milliseconds. */
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

/** The protocol has a request to cancel, which a pooler forwards to the right server process. */
async function cancel({ host, port }: pg.Client, process: number, secret: number): Promise<void> {
  const request = Buffer.alloc(16)
  for (const [index, word] of [request.length, cancelRequestCode, process, secret].entries())
    request.writeInt32BE(word, 4 * index)
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.on('error', noting(logOf('database'))('debug', 'A statement could not be cancelled'))
    socket.setTimeout(cancellingMs, () => socket.destroy())
    // The other side closes the connection after it has forwarded the request.
    socket.write(request)
  })
}

const cancelRequestCode = 80_877_102

/** A request to cancel may take this many milliseconds. */
const cancellingMs = 1_000

/** The query that waits on this connection gets the error. The pool opens another connection. */
const lost = noting(logOf('database'))('debug', 'A connection of a pool was lost')

declare global {
  var rampartPool: pg.Pool | undefined
}
