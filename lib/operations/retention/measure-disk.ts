import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'

/** Bytes for the log, where bodies are, and for all that is made of it. Indexes included. */
interface LogAndEvents {
  readonly log: number
  readonly events: number
}

/** The disk that deliveries take, and that a year of them would. */
export interface DiskUse {
  readonly now: LogAndEvents
  readonly perDelivery: LogAndEvents
  /** There were too few deliveries to measure by. */
  readonly isAssumed: boolean
  readonly deliveriesPerDay: number
  /** Over how many of the last days they were counted. */
  readonly days: number
  readonly aYear: LogAndEvents
}

/** With fewer deliveries empty pages would count more than they; what the benchmark of ingest came to. */
const fewest = 1_000
const assumed: LogAndEvents = { log: 1_200, events: 2_200 }

const dayMs = 24 * 3_600_000
const mostDays = 30

/** Deliveries counted at most, the newest: a page waits for it. */
const mostCounted = 200_000

/** Measured from the sizes of the tables and from the last deliveries. Throws `NotAllowed`. */
export async function measureDisk(caller: Caller, now = Date.now()): Promise<DiskUse> {
  requirePermission(caller, 'manage-settings')
  const { rows } = await pool().query<SizesRow>(SIZES)
  const sizes = rows[0] ?? { log: 0, events: 0, logged: 0, folded: 0 }
  const { rows: counts } = await pool().query<{ n: number; first: string | null; oldest: string | null }>(
    RECENT,
    [firstUuidv7(now - mostDays * dayMs), mostCounted],
  )
  const { n = 0, first = null, oldest = null } = counts[0] ?? {}
  const since = n === mostCounted ? timeOf(first) : Math.max(timeOf(oldest), now - mostDays * dayMs)
  const days = Math.max(since === 0 ? mostDays : (now - since) / dayMs, 1 / 24)
  const isAssumed = Math.min(sizes.logged, sizes.folded) < fewest
  const perDelivery = isAssumed
    ? assumed
    : { log: sizes.log / sizes.logged, events: sizes.events / sizes.folded }
  const aYear = (bytes: number) => (n / days) * 365 * bytes
  return {
    now: { log: sizes.log, events: sizes.events },
    perDelivery,
    isAssumed,
    deliveriesPerDay: n / days,
    days,
    aYear: { log: aYear(perDelivery.log), events: aYear(perDelivery.events) },
  }
}

interface SizesRow extends LogAndEvents {
  /** Deliveries in the log, and in the tables made of it. */
  readonly logged: number
  readonly folded: number
}

/** Milliseconds since 1970 in a uuidv7; 0 for none. */
const timeOf = (id: string | null) =>
  id === null ? 0 : Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Rows as the planner knows them, or counted where that takes no time. */
const rowsOf = (table: string, kind: string) => `(
  SELECT CASE WHEN sum(reltuples) > 100000 THEN sum(reltuples) ELSE (SELECT count(*) FROM ${table}) END
  FROM pg_class WHERE ${kind})::float8`

const partition = `oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'delivery'::regclass)`

const made = ['event', 'event_delivery', 'transaction', 'standing', 'identifier']

const SIZES = `
  SELECT (SELECT COALESCE(sum(pg_total_relation_size(oid)), 0)::float8 FROM pg_class WHERE ${partition}) AS log,
         (${made.map((table) => `pg_total_relation_size('${table}')`).join(' + ')})::float8 AS events,
         ${rowsOf('delivery', partition)} AS logged,
         ${rowsOf('event_delivery', `oid = 'event_delivery'::regclass`)} AS folded`

const RECENT = `
  WITH recent AS (SELECT id FROM delivery WHERE id >= $1::uuid ORDER BY id DESC LIMIT $2)
  SELECT count(*)::int AS n, min(id::text) AS first, (SELECT id FROM event ORDER BY id LIMIT 1) AS oldest FROM recent`
