import 'server-only'
import fs from 'node:fs/promises'
import type pg from 'pg'
import { type OpenGapView, readOpenGaps } from '#lib/endpoints/gaps/gap-view.ts'
import { type KeyFault, listKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { gapKinds } from '#lib/endpoints/rules/gaps.ts'
import { readServiceState, type ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { foldedTables } from '#lib/operations/retention/measure-disk.ts'
import { sizeOfTables } from '#lib/platform/db/partitions.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import {
  openSharedMetrics,
  type ProcessMetrics,
  ProcessMetricsSchema,
  readOwnMetrics,
  reportEveryMs,
  sharedGauge,
} from '#lib/platform/metrics.ts'
import { release } from '#lib/platform/release.ts'
import { type Backlog, readBacklog } from '#lib/timeline/projector/rebuild-progress.ts'

const limited = limitedLog(logOf('metrics'))

/** Readings are shared for this many milliseconds: those that cost little, and the sizes of the database. */
const sharedMs = { state: 10_000, sizes: 300_000 }

/** A scrape waits at most this many milliseconds for the database. */
const mostForDatabaseMs = 1_500

/**
 * A reading of a scrape is complete, or `rampart_database_up` is 0 and no value is from before the outage: gauges with labels
 * are absent then, and the others are 0.
 */
export type InstallationMetrics = ReturnType<typeof openInstallationMetrics>

/**
 * `openInstallationMetrics` reads what the database knows of the whole installation. Several servers report the same values,
 * so a query over all of them takes the maximum.
 * @param dataDir the free space of its disk is measured
 */
export function openInstallationMetrics(pool: pg.Pool, dataDir: string) {
  const registry = openSharedMetrics()
  const gauge = <Label extends string>(name: `rampart_${string}`, help: string, ...labelNames: Label[]) =>
    sharedGauge(registry, { name, help, labelNames })

  const build = gauge(
    'rampart_build_info',
    'Always 1; the labels name what runs',
    'version',
    'commit',
    'node',
  )
  const up = gauge(
    'rampart_database_up',
    '1 while the database answers the questions for these metrics, and takes writes',
  )
  const backlog = gauge('rampart_backlog_deliveries', 'Stored deliveries that wait to be folded')
  const oldest = gauge(
    'rampart_backlog_oldest_seconds',
    'How long the oldest of them has waited; 0 without any',
  )
  const dead = gauge('rampart_dead_letters', 'Deliveries that could not be folded')
  const active = gauge('rampart_projector_active', '1 while a process holds shards of the queue')
  const rebuild = gauge('rampart_rebuild_running', '1 while all rows are made anew from the log')
  const gaps = gauge(
    'rampart_open_gaps',
    'Gaps that nobody has closed; info needs nobody',
    'kind',
    'state',
    'severity',
  )
  const delivered = gauge('rampart_last_delivery_age_seconds', 'Seconds since the last stored delivery')
  const checked = gauge(
    'rampart_last_endpoint_check_age_seconds',
    'Seconds since the service was last asked for its endpoints',
  )
  const service = gauge('rampart_service_state', '1 for how the last such question ended', 'state')
  const keys = gauge('rampart_key_faults', 'Keys of RAMPART_KEYS that a running process cannot use', 'kind')
  const leases = gauge('rampart_leases', 'Leases that a living process holds, by their work', 'work')
  const connections = gauge('rampart_database_connections', 'Connections to the database, of all programs')
  const databaseSize = gauge('rampart_database_size_bytes', 'Size of the database on its disk')
  const tableSize = gauge('rampart_table_size_bytes', 'Size of the largest tables with their indexes', 'part')
  const diskFree = gauge('rampart_data_disk_free_bytes', 'Free space where RAMPART_DATA_DIR is')
  const diskSize = gauge('rampart_data_disk_size_bytes', 'Size of the disk where RAMPART_DATA_DIR is')
  const all = [
    backlog,
    oldest,
    dead,
    active,
    rebuild,
    gaps,
    delivered,
    checked,
    service,
    keys,
    leases,
    connections,
    databaseSize,
    tableSize,
  ]

  const { version, commit } = release()
  build.set({ version, commit: commit ?? '', node: process.versions.node }, 1)

  const readState = shareFor(sharedMs.state, () => readStateOf(pool))
  const readSizes = shareFor(sharedMs.sizes, () => readSizesOf(pool))

  function setState({
    value: { backlog: queue, service: known, open, faults, row, now },
    age,
  }: Shared<State>) {
    backlog.set(queue.waiting)
    oldest.set(queue.oldestSeconds === null ? 0 : queue.oldestSeconds + age)
    dead.set(queue.deadLetters)
    active.set(queue.active ? 1 : 0)
    rebuild.set(queue.rebuild === null ? 0 : 1)
    for (const kind of gapKinds)
      for (const state of ['lasting', 'over'])
        for (const severity of ['info', 'warning', 'error']) gaps.set({ kind, state, severity }, 0)
    for (const { gap, severity } of open)
      gaps.inc({ kind: gap.kind, state: gap.endedAt === null ? 'lasting' : 'over', severity })
    if (row.delivered !== null) delivered.set(row.delivered + age)
    if (known) checked.set((now - Date.parse(known.lookedAt)) / 1_000 + age)
    for (const state of ['seen', 'key-refused', 'unanswered'] satisfies ServiceState['look'][])
      service.set({ state }, known?.look === state ? 1 : 0)
    for (const kind of ['changed', 'missing'])
      keys.set({ kind }, faults.filter((fault) => fault.kind === kind).length)
    for (const [work, count] of Object.entries(row.leases ?? {})) leases.set({ work }, count)
    connections.set(row.connections)
  }

  function setSizes({ value }: Shared<Sizes>) {
    databaseSize.set(value.database)
    tableSize.set({ part: 'log' }, value.log)
    tableSize.set({ part: 'events' }, value.events)
  }

  async function setDisk() {
    const { bavail, blocks, bsize } = await fs.statfs(dataDir)
    diskFree.set(bavail * bsize)
    diskSize.set(blocks * bsize)
  }

  return {
    registry,
    /** `refresh` sets every value that is known, within the time that a scrape may take. */
    async refresh(): Promise<void> {
      for (const one of all) {
        one.reset()
        // After a reset a gauge without labels is 0, which would be a claim.
        one.remove({})
      }
      const given = await inTime(Promise.all([readState(), readSizes()]), mostForDatabaseMs, null).catch(
        (error: unknown) => {
          limited.warn(causeOf(error), { err: error }, 'The metrics lack what the database knows')
          return null
        },
      )
      up.set(given === null || given[0].value.row.read_only ? 0 : 1)
      if (given !== null) {
        setState(given[0])
        setSizes(given[1])
      }
      await setDisk().catch((error: unknown) =>
        limited.warn(causeOf(error), { err: error }, 'The metrics lack the size of the disk'),
      )
    },
  }
}

interface Shared<T> {
  readonly value: T
  /** The value was read so many seconds ago. */
  readonly age: number
}

/** Callers share one reading, also while it lasts. A failed one is repeated by the next caller. */
function shareFor<T>(ms: number, read: () => Promise<T>): () => Promise<Shared<T>> {
  let last: { readonly at: Promise<{ readonly value: T; readonly at: number }>; until: number } | undefined
  return async () => {
    if (!last || performance.now() >= last.until) {
      const next = {
        at: read().then((value) => {
          next.until = performance.now() + ms
          return { value, at: performance.now() }
        }),
        until: Number.POSITIVE_INFINITY,
      }
      last = next
      next.at.catch(() => {
        next.until = 0
      })
    }
    const { value, at } = await last.at
    return { value, age: (performance.now() - at) / 1_000 }
  }
}

interface State {
  readonly backlog: Backlog
  readonly service: ServiceState | null
  readonly open: readonly OpenGapView[]
  readonly faults: readonly KeyFault[]
  readonly row: StateRow
  /** The database's clock, in ms since 1970. */
  readonly now: number
}

async function readStateOf(pool: pg.Pool): Promise<State> {
  const [backlog, service, open, faults, { rows }] = await Promise.all([
    readBacklog(pool),
    readServiceState(pool),
    Array.fromAsync(readOpenGaps(pool)),
    listKeyFaults(pool),
    pool.query<StateRow>(STATE),
  ])
  const [row] = rows
  if (!row) throw new Error('The query of the state answers one row')
  return { backlog, service, open, faults, row, now: row.now.getTime() }
}

interface StateRow {
  readonly now: Date
  readonly delivered: number | null
  readonly leases: Readonly<Record<string, number>> | null
  readonly connections: number
  /** The database takes no writes, so that deliveries are answered 503. */
  readonly read_only: boolean
}

const counted = (what: string, from: string) =>
  `(SELECT jsonb_object_agg(name, n) FROM (SELECT ${what} AS name, count(*)::int AS n FROM ${from} GROUP BY 1) AS counted)`

const STATE = `
  SELECT clock_timestamp() AS now,
         (SELECT GREATEST(0, extract(epoch FROM clock_timestamp() - max(last_delivery_at)))::float8 FROM receiver) AS delivered,
         ${counted(`split_part(name, ':', 1)`, 'lease WHERE expires_at > clock_timestamp()')} AS leases,
         (SELECT numbackends FROM pg_stat_database WHERE datname = current_database()) AS connections,
         current_setting('transaction_read_only')::boolean AS read_only`

interface Sizes {
  readonly database: number
  readonly log: number
  readonly events: number
}

async function readSizesOf(pool: pg.Pool): Promise<Sizes> {
  const [{ rows }, events] = await Promise.all([
    pool.query<Omit<Sizes, 'events'>>(SIZES),
    sizeOfTables(pool, foldedTables),
  ])
  return { ...(rows[0] ?? { database: 0, log: 0 }), events }
}

const SIZES = `
  SELECT pg_database_size(current_database())::float8 AS database,
         (SELECT COALESCE(sum(pg_total_relation_size(inhrelid)), 0)::float8 FROM pg_inherits
          WHERE inhparent = 'delivery'::regclass) AS log`

/** The processes of this start report their metrics to the server, which answers for all of them. */
interface ProcessReports {
  take(process: string, metrics: unknown): void
  /** The result has this process, and others that have reported recently, by their names. */
  read(): Promise<ReadonlyMap<string, ProcessMetrics>>
}

/** A process that has been silent for so many milliseconds has ended or hangs. */
const silentMs = 3 * reportEveryMs

export function openProcessReports(own: string): ProcessReports {
  const latest = new Map<string, { readonly metrics: ProcessMetrics; readonly at: number }>()
  return {
    take(process, metrics) {
      latest.set(process, { metrics: ProcessMetricsSchema.parse(metrics), at: performance.now() })
    },
    async read() {
      const since = performance.now() - silentMs
      const others = [...latest]
        .filter(([, { at }]) => at >= since)
        .map(([name, { metrics }]) => [name, metrics] as const)
      return new Map([[own, await readOwnMetrics()], ...others])
    },
  }
}
