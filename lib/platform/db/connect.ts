import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { isDirect, notePooler } from './statements.ts'

/** A connection waits this many milliseconds for a free slot at the server. */
const patienceMs = 5_000

/**
 * `connect` opens one connection outside of any pool, for DDL, LISTEN and session locks. Connecting fails after 5 s, and so
 * does waiting for a slot. TCP keep-alive starts after 10 s of silence. The limits of the role do not apply.
 * @param limit query timeout in milliseconds; none for statements that may take an hour.
 * @param pooler `keeps-sessions` for work that needs that anyway, such as for its locks: the limits of the role then do not
 * apply behind a pooler either
 */
export async function connect(
  connectionString: string,
  applicationName: string,
  limit?: number,
  pooler: 'keeps-sessions' | 'shares-sessions' = 'shares-sessions',
): Promise<pg.Client> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await connectNow(connectionString, applicationName, limit, pooler)
    } catch (error) {
      if (!(hasNoPlace(error) || wasBusy(error)) || performance.now() > until) throw error
      await sleep(100)
    }
  }
}

/**
 * `wasBusy` is true when a busy process gave up a connection that was established. A name with several addresses, such as
 * `localhost`, gets 250 ms per address from Node, by a timer that runs before the connection is checked.
 */
export const wasBusy = (error: unknown): boolean =>
  error instanceof AggregateError && 'code' in error && error.code === 'ETIMEDOUT'

/** `hasNoPlace` is true when the server, or a pooler before it, has no slot for another connection, or is starting. */
export const hasNoPlace = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (/^(53300|57P03)$/.test(error.code ?? '') ||
    (error.file === undefined && noPlaceOfPooler.test(error.message)))

/** Poolers say so in their own words, because they use one code for everything. */
export const noPlaceOfPooler =
  /no more connections|connections exceeded|max(imum)?[ _-]?client|too many (clients|connections)/i

/** Time is counted in steps of so many milliseconds. A process that is blocked for longer counts one. */
const stepMs = 100

/**
 * A `TimedClient` gives up connecting after `connectionTimeoutMillis`, as node-postgres does. Only time counts in which this
 * process could read the answer: timers run first after it was blocked, and would give up an established connection.
 */
export class TimedClient extends pg.Client {
  readonly #limitMs: number

  constructor({ connectionTimeoutMillis, ...config }: pg.ClientConfig = {}) {
    super(config)
    this.#limitMs = connectionTimeoutMillis ?? Number.POSITIVE_INFINITY
  }

  override connect(): Promise<pg.Client>
  override connect(whenConnected: WhenConnected): void
  override connect(whenConnected?: WhenConnected): Promise<pg.Client> | undefined {
    let left = this.#limitMs
    const timer = setInterval(() => {
      left -= stepMs
      if (left <= 0) this.connection.stream.destroy(new Error('timeout expired'))
    }, stepMs).unref()
    for (const over of ['connect', 'end'] as const) this.once(over, () => clearInterval(timer))
    return whenConnected ? void super.connect(whenConnected) : super.connect()
  }
}

type WhenConnected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

async function connectNow(
  connectionString: string,
  applicationName: string,
  limit: number | undefined,
  pooler: 'keeps-sessions' | 'shares-sessions',
) {
  const client = new TimedClient({
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(limit === undefined ? {} : { query_timeout: limit }),
  })
  // Pending queries receive the error. Without a listener, losing an idle connection would end the process.
  client.on('error', noting(logOf('database'))('debug', 'A connection was lost'))
  try {
    await client.connect()
    await notePooler(client)
    await settleSession(client)
    if (isDirect(client) || pooler === 'keeps-sessions') await liftLimits(client)
  } catch (error) {
    await closeConnection(client)
    throw error
  }
  return client
}

/** Our statements and result parsing rely on these settings. The first value is set, and the others are accepted. */
export const sessionSettings: ReadonlyMap<string, readonly [value: string, ...others: string[]]> = new Map([
  ['DateStyle', ['ISO, MDY', 'ISO, DMY', 'ISO, YMD']],
  ['standard_conforming_strings', ['on']],
  ['IntervalStyle', ['postgres']],
  ['extra_float_digits', ['1', '2', '3']],
  // A warning says that a commit is not safe.
  ['client_min_messages', ['notice', 'warning', 'log', ...[1, 2, 3, 4, 5].map((level) => `debug${level}`)]],
  ['array_nulls', ['on']],
  ['transform_null_equals', ['off']],
  ['default_transaction_isolation', ['read committed']],
  // Prisma reads and writes times without their offset.
  ['TimeZone', ['UTC', 'Etc/UTC', 'UCT', 'Etc/UCT', 'GMT', 'Etc/GMT', 'Zulu', 'Etc/Zulu', 'Universal']],
])

/** A pooler keeps these settings for each client, and restores others for the next one. */
const keptByPoolers = ['DateStyle', 'standard_conforming_strings', 'TimeZone']

/**
 * `settleSession` makes a new connection independent of the settings of its database and role. It runs after `notePooler`.
 */
export async function settleSession(client: pg.ClientBase): Promise<void> {
  const names = isDirect(client) ? [...sessionSettings.keys()] : keptByPoolers
  await client.query(names.map((name) => `SET ${name} = '${sessionSettings.get(name)?.[0]}'`).join('; '))
}

/** A role or a database may set these limits. They are meant for requests, and 0 is no limit. */
const limits = ['statement', 'lock', 'idle_in_transaction_session', 'idle_session', 'transaction'].map(
  (what) => `${what}_timeout`,
)

/**
 * `liftLimits` lets work last as long as it takes: a limit would end an index or a migration again at each try, and release a
 * lock too early. `LOCAL` is for the present transaction, also behind a pooler.
 */
export async function liftLimits(
  client: pg.ClientBase,
  scope: 'LOCAL' | 'SESSION' = 'SESSION',
): Promise<void> {
  // An older server does not know each of them.
  await client.query('SELECT set_config(name, $1, $2) FROM pg_settings WHERE name = ANY($3)', [
    '0',
    scope === 'LOCAL',
    limits,
  ])
}

/**
 * `boundWaits` is for connections of pools. PostgreSQL checks every 2 s that the connection of a statement exists, and stops
 * abandoned statements. Some systems do not support this. A shorter lock wait that is already set is kept.
 * @param limit milliseconds for a query, half of which a lock may be waited for
 */
export async function boundWaits(client: pg.ClientBase, limit: number) {
  const most = Math.round(limit / 2)
  await client.query(
    `SELECT set_config('lock_timeout', '${most}', false) FROM (SELECT current_setting('lock_timeout')::interval AS set) AS now
     WHERE set = '0' OR set > '${most} ms'`,
  )
  await client.query(`SET client_connection_check_interval = '2s'`).catch(cannotCheck)
}

const cannotCheck = noting(logOf('database'))(
  'debug',
  'PostgreSQL does not look whether a connection still stands',
)

/** `takesWrites` is false on a standby, and where a setting makes each transaction read-only. */
export async function takesWrites(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ read_only: boolean }>(READ_ONLY)
  return rows[0]?.read_only !== true
}

const READ_ONLY = `SELECT current_setting('transaction_read_only')::boolean AS read_only`

/** A connection that does not answer is abandoned after 2 s. */
export async function closeConnection(client: pg.Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeoutMs = new Promise((resolve) => {
    timer = setTimeout(resolve, 2_000)
  })
  await Promise.race([client.end(), timeoutMs]).catch(
    noting(logOf('database'))('debug', 'A connection had no end'),
  )
  clearTimeout(timer)
}

/**
 * `isOfNoUse` is true when the database answers as no healthy primary does: read-only, without our tables or rights on them,
 * out of resources, in recovery or shutting down. The same connection would go on to answer so, even when the database is
 * healthy again, because it keeps the settings with which it was made.
 */
export const isOfNoUse = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (/^(25006|28|3[DF]|42(501|703|704|883|P01)|53|57P|58)/.test(error.code ?? '') || isOfPooler(error))

/** `isAway` is true when the server cannot be reached, starts or stops, or a pooler says so. Waiting may help. */
export const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error.cause !== undefined && isAway(error.cause)) return true
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123])/.test(error.code ?? '') || isOfPooler(error)
  const code = 'code' in error ? String(error.code) : ''
  // A server on this machine that is down has no socket file.
  const hasNoSocket = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'
  return hasNoSocket || ofNetwork.test(code) || /^Connection terminated|^timeout expired$/.test(error.message)
}

/** During a fail-over a name may lead nowhere. */
const ofNetwork =
  /^(ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)(UNREACH|DOWN)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/

/** `mayPass` is true when the same statement may succeed on another connection, or soon: a lock or a limit stopped it. */
export const mayPass = (error: unknown): boolean =>
  isOfNoUse(error) || (error instanceof pg.DatabaseError && /^(40|55P03|57014)/.test(error.code ?? ''))

/**
 * `leadsElsewhere` is true when the server is read-only, shuts down or lacks our tables. This affects all connections made
 * before.
 */
export const leadsElsewhere = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(25006|3F000|42P01|57P)/.test(error.code ?? '')

/**
 * `isOfPooler` is true for an error of a pooler, which knows no rows: many poolers call every error "internal error".
 * PostgreSQL itself names its source file.
 */
export const isOfPooler = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(XX|$)/.test(error.code ?? '') && error.file === undefined

/**
 * `isOfRow` is true when a row caused the error: cardinality, data, integrity, a view's check, a limit, a trigger or an
 * internal error.
 */
export const isOfRow = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(2[123]|44|54|P0|XX)/.test(error.code ?? '') && !isOfPooler(error)
