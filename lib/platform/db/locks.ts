import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { noting } from '../log/limited.ts'
import { logOf } from '../log.ts'

/** Each advisory lock has a number that no other program uses. Prisma's CLI uses 72707369. */
export const advisoryLocks = {
  migrations: 7_247_001,
  partitions: 7_247_002,
  gaps: 7_247_003,
  replays: 7_247_004,
  /** Each endpoint has one lock, which a second number names. */
  endpoints: 7_247_005,
  indexes: 7_247_006,
  /** The trigger of migration `audit_chain` takes this lock at the commit of each audit entry. */
  audit: 7_247_007,
  firstAdmin: 7_247_008,
  team: 7_247_010,
  noticeMail: 7_247_011,
  /** A start takes this lock to detect a restored database, and so does the confirmation of a restore. */
  restore: 7_247_022,
  /** Held while the chain is read as a whole. */
  auditCheck: 7_247_019,
  /** Rules and channels of alerts change one after the other. */
  alerts: 7_247_023,
  /** Each user has one lock, which a second number names: its erasure takes it, and whoever writes about the user shares it. */
  erasures: 7_247_024,
  /** An erasure takes this lock, and whoever queues users to be looked up shares it. */
  userQueue: 7_247_025,
} as const

/**
 * `waitForLock` takes a session-level advisory lock, however long another process holds it. It polls, because a query that
 * waits in the database holds a snapshot, for which a concurrent index build would wait.
 * @param because logged when it takes more than 5 s
 */
export async function waitForLock(
  client: pg.Client,
  lock: number,
  because: string,
  say: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      lock,
    ])
    if (rows[0]?.taken) return
    if (tries % 100 === 20) say(`Waiting: ${because}.`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

const log = logOf('database')

/** A lock holder is another transaction on our tables. */
interface LockHolder {
  /** The pid is of the PostgreSQL process; 0 for a prepared transaction. */
  readonly pid: number
  /** The name is the process's `application_name`. */
  readonly name: string
  readonly tables: string
  /**
   * The seconds run from the start of the transaction. If the role may not see that, they run from when another waits for
   * it, or are null.
   */
  readonly seconds: number | null
  /** The query is shortened and has no literals; null when the role may not see it. */
  readonly query: string | null
  /** The value is true when another waits for it, or when its lock prevents all writes. */
  readonly isBlocking: boolean
}

/**
 * `findLockHolder` finds the transaction that most likely holds a lock, because PostgreSQL does not report afterwards what a
 * statement waited for. One with waiters comes first, then one with a lock against writes, then the oldest.
 */
export async function findLockHolder(database: pg.Pool | pg.ClientBase): Promise<LockHolder | null> {
  const { rows } = await database.query<LockHolder>(HOLDER)
  const [row] = rows
  return row ? { ...row, query: row.query === null ? null : withoutLiterals(row.query) } : null
}

const HOLDER = `
  WITH waits AS (
    SELECT unnest(pg_blocking_pids(pid)) AS pid, (to_jsonb(l) ->> 'waitstart')::timestamptz AS since
    FROM pg_locks l WHERE NOT granted
  ), held AS (
    SELECT COALESCE(l.pid, 0) AS pid, COALESCE(
             string_agg(DISTINCT c.relname, ', ') FILTER (WHERE NOT c.relispartition), string_agg(DISTINCT c.relname, ', ')) AS tables,
           bool_or(l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS strong
    FROM pg_locks l JOIN pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p')
    WHERE l.granted AND c.relnamespace = 'public'::regnamespace
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    GROUP BY 1
  )
  SELECT held.pid, held.tables, NULLIF(a.query, '<insufficient privilege>') AS query,
         CASE held.pid WHEN 0 THEN 'a prepared transaction' ELSE COALESCE(NULLIF(a.application_name, ''), 'a client') END AS name,
         extract(epoch FROM clock_timestamp()
           - COALESCE(a.xact_start, (SELECT min(since) FROM waits WHERE waits.pid = held.pid)))::int AS seconds,
         strong OR held.pid IN (SELECT pid FROM waits) AS "isBlocking"
  FROM held LEFT JOIN pg_stat_activity a ON a.pid = held.pid
  WHERE held.pid <> pg_backend_pid() AND NOT EXISTS (SELECT FROM pg_locks w WHERE w.pid = held.pid AND NOT w.granted)
  ORDER BY held.pid IN (SELECT pid FROM waits) DESC, strong DESC, a.xact_start LIMIT 1`

/** Numbers, and everything after the first literal or comment, are removed, because they can identify rows and people. */
function withoutLiterals(query: string): string {
  const words = query
    .replace(/('|\$(?!\d)|--|\/\*).*$/s, '…')
    .replaceAll(/(?<![\w$])\d[\d.]*/g, '…')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return words.length > 120 ? `${words.slice(0, 120)}…` : words
}

export const isLockTimeout = (error: unknown) => error instanceof pg.DatabaseError && error.code === '55P03'

/**
 * Two checks are at least `checkEveryMs` milliseconds apart. A holder seen again after `forgetAfterMs` counts as a new stall.
 */
const checkEveryMs = 2_000
const forgetAfterMs = 60_000

/** The second check follows after this many milliseconds: the failed statement is tried again meanwhile, and waits. */
const secondCheckMs = 1_000

/** Each holder's process was last seen at this time. */
const seen = new Map<number, number>()
let isLooking = false
let checkedAt = Number.NEGATIVE_INFINITY

/**
 * `sayWhoHolds` logs the holder of a lock that a statement waited for too long: once for each holder, however many
 * statements wait.
 */
export function sayWhoHolds(database: pg.Pool): void {
  if (isLooking || performance.now() - checkedAt < checkEveryMs) return
  isLooking = true
  void check(database)
    .catch(noting(log)('debug', 'Nobody could say who holds a lock'))
    .finally(() => {
      isLooking = false
      checkedAt = performance.now()
    })
}

async function check(database: pg.Pool) {
  for (const pause of [0, secondCheckMs]) {
    await sleep(pause, undefined, { ref: false })
    const holder = await findLockHolder(database)
    if (!holder?.isBlocking) continue
    const now = performance.now()
    const before = seen.get(holder.pid) ?? Number.NEGATIVE_INFINITY
    for (const [pid, at] of seen) if (now - at > forgetAfterMs) seen.delete(pid)
    seen.set(holder.pid, now)
    const { pid, name, tables, seconds, query } = holder
    if (now - before > forgetAfterMs)
      log.error(
        { pid, application: name, tables, seconds, query },
        'Statements wait for a lock that another holds',
      )
    return
  }
}
