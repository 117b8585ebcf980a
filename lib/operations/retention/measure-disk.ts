import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { firstUuidv7, sizeOfTables } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'

/**
 * `log` is the bytes of the log with its bodies, and `events` those of all tables made from it. Both include indexes.
 */
interface LogAndEvents {
  readonly log: number
  readonly events: number
}

/** The disk use is that of the present deliveries, and of a year of them. */
export interface DiskUse {
  readonly now: LogAndEvents
  readonly perDelivery: LogAndEvents
  /** The sizes are assumed, because there were too few deliveries to measure. */
  readonly isAssumed: boolean
  readonly deliveriesPerDay: number
  /** The deliveries of so many last days were counted. */
  readonly days: number
  readonly aYear: LogAndEvents
}

/**
 * With fewer deliveries, empty pages would distort the measurement. The assumed sizes come from the benchmark of
 * ingest.
 */
const fewest = 1_000
const assumed: LogAndEvents = { log: 1_200, events: 2_200 }

const dayMs = 24 * 3_600_000
const mostDays = 30

/** At most this many of the newest deliveries are counted, because a page waits for the result. */
const mostCounted = 200_000

/** `measureDisk` measures the sizes of the tables and counts the last deliveries. It throws `NotAllowed`. */
export async function measureDisk(caller: Caller, now = Date.now()): Promise<DiskUse> {
  requirePermission(caller, 'manage-settings')
  const [{ rows }, events] = await Promise.all([
    pool().query<Omit<SizesRow, 'events'>>(SIZES),
    sizeOfTables(pool(), foldedTables),
  ])
  const sizes = { ...(rows[0] ?? { log: 0, logged: 0, folded: 0 }), events }
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
  /** `logged` counts the deliveries in the log, and `folded` those in the tables made from it. */
  readonly logged: number
  readonly folded: number
}

/** The result is the milliseconds since 1970 in a uuidv7; 0 for none. */
const timeOf = (id: string | null) =>
  id === null ? 0 : Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Counting more rows than these takes long. */
export const mostExact = 100_000

/** Large tables use the planner's estimate. Small ones are counted, which is fast. */
export const rowsOf = (table: string, kind: string) => `(
  SELECT CASE WHEN sum(reltuples) > ${mostExact} THEN sum(reltuples) ELSE (SELECT count(*) FROM ${table}) END
  FROM pg_class WHERE ${kind})::float8`

const partition = `oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'delivery'::regclass)`

/** These tables are made from the log. */
export const foldedTables = ['event', 'event_delivery', 'transaction', 'standing', 'identifier']

const SIZES = `
  SELECT (SELECT COALESCE(sum(pg_total_relation_size(oid)), 0)::float8 FROM pg_class WHERE ${partition}) AS log,
         ${rowsOf('delivery', partition)} AS logged,
         ${rowsOf('event_delivery', `oid = 'event_delivery'::regclass`)} AS folded`

const RECENT = `
  WITH recent AS (SELECT id FROM delivery WHERE id >= $1::uuid ORDER BY id DESC LIMIT $2)
  SELECT count(*)::int AS n, min(id::text) AS first, (SELECT id FROM event ORDER BY id LIMIT 1) AS oldest FROM recent`
