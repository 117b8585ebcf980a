import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { inTime } from '../in-time.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { type Rounds, startRounds } from './concurrency.ts'
import { closeConnection, connect, sessionSettings } from './connect.ts'
import { withDatabase } from './require-reachable.ts'
import { isDirect } from './statements.ts'
import { type DatabasePlace, readDatabasePlace } from './which-database.ts'

/** Two variables name different databases, or one names a database that is not suitable. */
class WrongDatabase extends OperatorError {}

/** Each address is under the variable that gives it. */
export interface DatabaseAddresses {
  readonly DATABASE_URL: string
  readonly DATABASE_DIRECT_URL?: string | undefined
  readonly DATABASE_MIGRATE_URL?: string | undefined
  /** Rampart works without a replica that does not answer. Decision 0139. */
  readonly DATABASE_READ_URL?: string | undefined
}

/**
 * `checkDatabases` requires, before anything is written, that all of these addresses answer and name one database.
 * @param warn gets a line for each problem that does not prevent the start
 * @param connections the number that Rampart may open
 * @returns the number of connections that the server allows, without superusers'; infinite behind a pooler
 */
export async function checkDatabases(
  { DATABASE_READ_URL: replica, ...addresses }: DatabaseAddresses,
  warn: (line: string) => void,
  connections = 0,
): Promise<number> {
  const first = await identify('DATABASE_URL', addresses.DATABASE_URL)
  requireWritable('DATABASE_URL', first)
  if (first.places < connections)
    warn(
      `DATABASE_CONNECTIONS is ${connections}, and the server of DATABASE_URL has ${first.places} places for all who use it: what finds none waits. Raise max_connections there, or lower DATABASE_CONNECTIONS.`,
    )
  for (const [variable, url] of Object.entries(addresses)) {
    if (url === undefined || url === addresses.DATABASE_URL) continue
    const identity = await identify(variable, url)
    requireSame(variable, identity, first)
    requireWritable(variable, identity)
  }
  if (replica === undefined || replica === addresses.DATABASE_URL) return first.places
  const identity = await identify('DATABASE_READ_URL', replica).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error
    warn(`${error.message} Until then Rampart does without it.`)
    return null
  })
  if (identity) requireSame('DATABASE_READ_URL', identity, first)
  return first.places
}

interface Identity extends DatabasePlace {
  readonly isReplica: boolean
  /** A setting makes each transaction read-only, as on a replica. */
  readonly isReadOnly: boolean
  /** The number is for all roles except superusers. */
  readonly places: number
}

async function identify(variable: string, url: string): Promise<Identity> {
  return await withDatabase(variable, url, async (client) => {
    await requireUtf8(variable, client)
    await requirePublicSchema(variable, client)
    await requireOurSettings(variable, client)
    // A pooler may allow no transactions.
    await client.query('BEGIN')
    await client.query('COMMIT')
    const { rows } = await client.query<{ is: boolean; read_only: boolean; places: number }>(PLACES)
    const { is = false, read_only: isReadOnly = false, places = 0 } = rows[0] ?? {}
    // A pooler has its own limit of connections.
    const isPooled = !isDirect(client)
    return {
      ...(await readDatabasePlace(client)),
      isReplica: is,
      isReadOnly,
      places: isPooled ? Number.POSITIVE_INFINITY : places,
    }
  })
}

const PLACES = `
  SELECT pg_is_in_recovery() AS is, current_setting('transaction_read_only')::boolean AS read_only,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - COALESCE(current_setting('reserved_connections', true)::int, 0) AS places`

/** Other encodings lack characters that deliveries have. Their text would be refused after it was acknowledged. */
async function requireUtf8(variable: string, client: pg.Client) {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  )
  const encoding = rows[0]?.encoding ?? ''
  if (encoding !== 'UTF8')
    throw new WrongDatabase(
      `${variable}: its encoding is ${encoding}, and Rampart needs UTF8. Nothing was written. Make a database: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    )
}

/** Our tables are in `public`. The role or the address decides in which schema a plain name is looked up. */
async function requirePublicSchema(variable: string, client: pg.Client) {
  const { rows } = await client.query<{
    schema: string | null
    role: string
    database: string
    path: string
  }>(
    `SELECT current_schema() AS schema, quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
            current_setting('search_path') AS path`,
  )
  const [found] = rows
  if (!found || found.schema === 'public') return
  const where =
    found.schema === null ? 'names no schema that this role may use' : `comes to the schema ${found.schema}`
  throw new WrongDatabase(
    `${variable} ${where} (search_path is ${found.path || 'empty'}), and Rampart's tables are in public. Nothing was written. Take search_path out of ${variable}, or set it: GRANT USAGE ON SCHEMA public TO ${found.role}; ALTER ROLE ${found.role} IN DATABASE ${found.database} SET search_path = public`,
  )
}

/** Each connection sets these itself, unless a pooler is in between. */
async function requireOurSettings(variable: string, client: pg.Client) {
  const { rows } = await client.query<{ name: string; setting: string; role: string }>(
    'SELECT name, setting, quote_ident(current_user) AS role FROM pg_settings WHERE name = ANY($1)',
    [[...sessionSettings.keys()]],
  )
  const wrong = rows.find(({ name, setting }) => !sessionSettings.get(name)?.includes(setting))
  if (wrong)
    throw new WrongDatabase(
      `${variable}: ${wrong.name} is ${wrong.setting}, which a pooler keeps Rampart from changing. Set it: ALTER ROLE ${wrong.role} SET ${wrong.name} = '${sessionSettings.get(wrong.name)?.[0]}'`,
    )
}

function requireSame(variable: string, given: Identity, first: Identity) {
  const another = given.cluster !== null && first.cluster !== null && given.cluster !== first.cluster
  if (!another && given.oid === first.oid && given.name === first.name) return
  const where =
    given.name === first.name ? `a database ${given.name} of another server` : `the database ${given.name}`
  throw new WrongDatabase(
    `${variable} names ${where}, and DATABASE_URL the database ${first.name}. Both must name the same one; nothing was written. Correct ${variable}.`,
  )
}

function requireWritable(variable: string, { isReplica, isReadOnly, name }: Identity) {
  if (isReplica)
    throw new WrongDatabase(
      `${variable} names a read replica of ${name}, which takes no writes. Name its primary, and the replica in DATABASE_READ_URL.`,
    )
  if (isReadOnly)
    throw new WrongDatabase(
      `${variable}: default_transaction_read_only is on in the database ${name}, which then takes no writes. Take it out where it was set: ALTER DATABASE … RESET default_transaction_read_only, the same of ALTER ROLE, postgresql.conf, or options=… in ${variable}.`,
    )
}

/** The role of the migrations must be allowed to create tables. The `OperatorError` says which variable names it. */
export async function requireMayMigrate(url: string, variable = 'DATABASE_MIGRATE_URL'): Promise<void> {
  const client = await connect(url, 'rampart start')
  try {
    const { rows } = await client.query<{ role: string; database: string; may: boolean }>(MAY_CREATE)
    const [found] = rows
    if (found?.may === false)
      throw new WrongDatabase(
        `DATABASE_MIGRATE_URL must name the role that owns the tables: ${found.role} may create none in the database ${found.database}. Example: DATABASE_MIGRATE_URL=postgresql://rampart_owner:PASSWORD@db.example.com/${found.database}?sslmode=verify-full. Where the role of ${variable} owns them, allow it: GRANT CREATE ON SCHEMA public TO ${found.role}`,
      )
  } finally {
    await closeConnection(client)
  }
}

const MAY_CREATE = `
  SELECT current_user AS role, current_database() AS database,
         has_schema_privilege('public', 'CREATE') AS may`

/** A notification may take this many milliseconds. Without a pooler it takes a few. */
const notificationMs = 3_000

/**
 * `hearsNotifications` is true when notifications sent through one address arrive at the other, as the listener needs it. A
 * pooler that changes connections between transactions prevents that.
 * @param directUrl the address for the listener
 */
export async function hearsNotifications(pool: pg.Pool, directUrl: string): Promise<boolean> {
  const client = await connect(directUrl, 'rampart start', notificationMs)
  try {
    const channel = `start_${crypto.randomUUID()}`
    const heard = new Promise<boolean>((resolve) => client.once('notification', () => resolve(true)))
    await client.query(`LISTEN "${channel}"`)
    await pool.query('SELECT pg_notify($1, $2)', [channel, ''])
    // Another query on this connection could bring notifications that the pooler still held.
    return await inTime(heard, notificationMs, false)
  } finally {
    await closeConnection(client)
  }
}

/** The log has at most one line in ten minutes while the problem lasts. */
const limited = limitedLog(logOf('database'), 600_000)

/** The database would answer "committed" before the commit is on disk. */
export class UnsafeDatabaseError extends OperatorError {}

/**
 * `checkDurability` refuses a database that can lose commits. It throws `UnsafeDatabaseError` with one line.
 * @param isAssured true when the platform keeps commits by other means than the server's settings
 */
export async function checkDurability(pool: pg.Pool, isAssured = false): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; full_page_writes: string; unsafe: string | null }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes, unsafe
     FROM (${readUnsafeCommit}) AS of_commits`,
  )
  const [settings] = rows
  // ASSUMED: the file system can tear a page at a power failure, as most do.
  for (const name of ['fsync', 'full_page_writes'] as const)
    if (settings?.[name] !== 'on' && !isAssured)
      throw new UnsafeDatabaseError(
        `The database runs with ${name}=off and can lose deliveries: set ${name}=on. Where the platform does not let you, and says that it keeps what it has committed by other means (Aurora, Neon, ZFS): DATABASE_DURABILITY=assured`,
      )
  if (settings?.unsafe !== null) throw new UnsafeDatabaseError(settings?.unsafe)
}

/** The database may be promoted or reconfigured after the start. It is checked at this interval in milliseconds. */
const checkEveryMs = 10_000

/** `startCheckingDurability` logs when the present database can lose commits. */
export function startCheckingDurability(pool: pg.Pool, isAssured: boolean, every = checkEveryMs): Rounds {
  const check = () =>
    checkDurability(pool, isAssured).catch((error: unknown) => {
      if (error instanceof UnsafeDatabaseError) limited.error(error.message, { err: error }, error.message)
    })
  return startRounds(check, every)
}

/**
 * The statement returns in `unsafe` why its own commit is not durable; null when it is. A standby that was promoted may have
 * other settings, and so may a server behind a pooler.
 */
export const readUnsafeCommit = `
  SELECT CASE WHEN setting NOT IN ('on', 'remote_apply') THEN format(
    'The database runs with synchronous_commit=%s and can lose deliveries: set synchronous_commit=on. For this role alone: ALTER ROLE %I SET synchronous_commit = on',
    setting, current_user) END AS unsafe
  FROM current_setting('synchronous_commit') AS setting`
