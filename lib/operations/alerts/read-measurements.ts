import 'server-only'
import type pg from 'pg'
import { readChainCheck } from '#lib/audit/check-chain.ts'
import { countRefusedSignIns } from '#lib/audit/counted-entries.ts'
import { countDeadLetters, readOldestWaiting } from '#lib/deliveries/queue/read-queue-state.ts'
import { readWrongSecrets } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { type GapRow, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-view.ts'
import { gapSeverity } from '#lib/endpoints/rules/gaps.ts'
import { readServiceState, type ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { readCertificateEnd } from '#lib/platform/addresses/public-address.ts'
import { listPendingMigrations } from '#lib/platform/db/migrate.ts'
import {
  defaultHoldsRows,
  firstUuidv7,
  missingMonths,
  monthBegin,
  sizeOfDatabase,
} from '#lib/platform/db/partitions.ts'
import { env } from '#lib/platform/env.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { someShardIsHeld } from '#lib/timeline/projector/shard-leases.ts'
import { countUnknownTypes, listTransactionAttentionItems } from '../overview/list-attention.ts'
import { readLastBackup } from '../restore/restore-state.ts'
import type { AlertRule, Measured } from '../rules/alert-changes.ts'
import { type ConditionCode, conditionCodes } from '../rules/alert-conditions.ts'
import { type ProcessFacts, readProcessReports } from './process-report.ts'

const limited = limitedLog(logOf('alerts'), 600_000)

/** One round measures with these. Times are ms since 1970. */
interface Round {
  readonly pool: pg.Pool
  readonly now: number
  /** The database was away until then; 0 for never. */
  readonly backAt: number
  readonly rules: ReadonlyMap<ConditionCode, AlertRule>
  readonly service: ServiceState | null
  readonly reports: Awaited<ReturnType<typeof readProcessReports>>
}

/** A reader measures one condition. It returns null when nobody can know now. */
type Reader = (round: Round) => Promise<readonly Measured[] | null>

/**
 * `readMeasurements` measures the wanted conditions whose rules are on. A condition that cannot be measured is null in the
 * result.
 */
export async function readMeasurements(
  pool: pg.Pool,
  rules: ReadonlyMap<ConditionCode, AlertRule>,
  now: number,
  wanted: readonly ConditionCode[] = conditionCodes,
  backAt = 0,
): Promise<ReadonlyMap<ConditionCode, readonly Measured[] | null>> {
  const [state, reports] = [await readServiceState(pool), await readProcessReports(pool)]
  // A state from before this start is old: the watcher has not looked yet.
  const service = state && Date.parse(state.lookedAt) >= performance.timeOrigin ? state : null
  const found = new Map<ConditionCode, readonly Measured[] | null>()
  // They run one by one, so that alerts use one connection.
  for (const code of wanted) {
    if (rules.get(code)?.enabled === false) continue
    try {
      found.set(
        code,
        (await readers[code]({ pool, now, backAt, rules, service, reports }))?.map(withShortSubject) ?? null,
      )
    } catch (error) {
      limited.warn(
        `${code} ${causeOf(error)}`,
        { condition: code, err: error },
        'A condition was not measured',
      )
      found.set(code, null)
    }
  }
  return found
}

/** The service may send a type of any length, and the database keeps so much of a subject. */
const withShortSubject = (measured: Measured): Measured => ({
  ...measured,
  subject: measured.subject.slice(0, 300).toWellFormed(),
})

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** A problem that began at `since` is measured by its age. */
const aged = (subject: string, since: number, now: number, unit: number): Measured => ({
  subject,
  value: Math.max(0, now - since) / unit,
  since,
})

const one = (value: number, since: number | null = null): Measured[] => [{ subject: '', value, since }]

const readers: Readonly<Record<ConditionCode, Reader>> = {
  async 'endpoint-off'({ pool, now, service }) {
    if (service?.seenAt == null) return null
    const { rows } = await pool.query<{ endpoint_uuid: string; since: Date }>(OFF, [service.seenAt])
    return rows.map((row) => aged(row.endpoint_uuid, row.since.getTime(), now, minuteMs))
  },

  async 'endpoint-failing'({ pool, now }) {
    const since = new Date(now - failingMs)
    const { rows } = await pool.query<FailingRow>(FAILING, [since, reasonsThatAre('final', 'deferred')])
    const ofService = (await readWrongSecrets(pool, since, now)).filter(({ who }) => who === 'service')
    return rows.flatMap(({ endpoint: subject, receiver_id: id, last_at: lastAt, failed }) => {
      const wrong = ofService
        .filter(({ receiverId, last }) => receiverId === id && last > (lastAt?.getTime() ?? 0))
        .reduce((sum, { count }) => sum + count, 0)
      return failed + wrong > 0 ? [{ subject, value: failed + wrong, since: null }] : []
    })
  },

  async 'deliveries-missed'({ pool, now }) {
    return ofGaps(await readGaps(pool, ['down', 'restored', 'deferred', 'refused']), now)
  },

  async silence({ pool, now }) {
    const gaps = await readGaps(pool, ['silent'])
    return ofGaps(
      gaps.filter(({ endedAt }) => endedAt === null),
      now,
    )
  },

  async 'backlog-size'({ pool, rules }) {
    // Counting ends at the threshold, because a large queue is slow to count.
    const { rows } = await pool.query<{ waiting: number }>(WAITING, [
      Math.ceil(rules.get('backlog-size')?.threshold ?? 1),
    ])
    return one(rows[0]?.waiting ?? 0)
  },

  async 'backlog-age'({ pool, now }) {
    const oldest = (await readOldestWaiting(pool))?.getTime()
    if (oldest === undefined || now - oldest < youngMs) keptUpAt = now
    // Imports, retries and new evidence put old deliveries into the queue, which have not waited there since they were received.
    return oldest === undefined ? [] : [aged('', Math.max(oldest, keptUpAt), now, 1_000)]
  },

  'dead-letters': async ({ pool }) => one(await countDeadLetters(pool)),

  async 'no-projector'({ pool, now, backAt }) {
    const { rows } = await pool.query<{ active: boolean; last: Date | null }>(PROJECTORS)
    if (rows[0]?.active) return []
    // After a stop for the night, the projectors start after this process, and after an outage they come back with the database.
    const last = Math.max(rows[0]?.last?.getTime() ?? 0, performance.timeOrigin, backAt)
    return [aged('', last, now, 1_000)]
  },

  'no-live-process': async ({ reports }) =>
    worstOfHosts(reports, ({ liveSilentSeconds }) => liveSilentSeconds),

  async 'refused-deliveries'({ pool }) {
    const { rows } = await pool.query<{ why: string; count: number }>(REFUSED, [refusedMinutes])
    return rows.map(({ why, count }) => ({ subject: why, value: count, since: null }))
  },

  'key-refused': async ({ service, now }) => ofService(service, 'key-refused', now),
  'service-away': async ({ service, now }) => ofService(service, 'unanswered', now),

  async 'sign-in-attacks'({ pool }) {
    return one(await countRefusedSignIns(pool, refusedMinutes))
  },

  async 'audit-broken'({ pool }) {
    const check = await readChainCheck(pool)
    return check === null ? null : one(check.faultCount)
  },

  'disk-full': async ({ reports }) => worstOfHosts(reports, ({ diskPercent }) => diskPercent),

  async 'database-full'({ pool }) {
    return one((await sizeOfDatabase(pool)) / 1e9)
  },

  async 'month-missing'({ pool, now }) {
    // The maintenance of a start makes months after this process has begun.
    if (performance.now() < startMs) return null
    const missing = await missingMonths(pool, new Date(now))
    const [first] = missing.filter(({ to }) => to > firstUuidv7(now))
    const held = (await defaultHoldsRows(pool))
      ? [{ subject: 'delivery_default', value: 0, since: null }]
      : []
    if (!first) return held
    return [...held, { subject: first.name, value: (monthBegin(first) - now) / dayMs, since: null }]
  },

  async 'migration-failed'({ pool, now }) {
    const pending = await listPendingMigrations(pool)
    return pending.map(({ name }) => aged(name, performance.timeOrigin, now, hourMs))
  },

  async 'unknown-type'() {
    const types = await countUnknownTypes('admin')
    return types.map(({ type, total }) => ({ subject: type ?? '', value: total.count, since: null }))
  },

  'transaction-stuck': ({ now }) => oldestTransaction('stuck', now),
  'transaction-held': ({ now }) => oldestTransaction('held', now),

  async 'certificate-expiry'({ now }) {
    const { publicUrl } = env()
    if (publicUrl.protocol !== 'https:') return []
    const until = await certificateEnd(publicUrl)
    return until === null
      ? null
      : [{ subject: publicUrl.hostname, value: (until - now) / dayMs, since: null }]
  },

  async 'clock-difference'({ reports }) {
    const worst = (clock: 'serviceClockSeconds' | 'databaseClockSeconds') =>
      Math.max(0, ...reports.map(({ facts }) => Math.abs(facts[clock] ?? 0)))
    return [
      { subject: 'service', value: worst('serviceClockSeconds'), since: null },
      { subject: 'database', value: worst('databaseClockSeconds'), since: null },
    ]
  },

  async 'backup-old'({ pool, now }) {
    // The sandbox has nothing that anybody would miss.
    if (env().sandboxUrl !== null) return []
    const last = await readLastBackup(pool)
    const since = last
      ? new Date(last.madeAt)
      : (await pool.query<{ at: Date | null }>(INSTALLED)).rows[0]?.at
    return since ? [aged('', since.getTime(), now, dayMs)] : null
  },
}

/** A delivery that was received so many milliseconds ago is no sign of a backlog. */
const youngMs = 5_000

/** No measurement of this process found a backlog after this time. */
let keptUpAt = performance.timeOrigin

/** The work of a start is done after so many milliseconds, or has failed. */
const startMs = 10 * minuteMs

/** Refusals of the last 15 minutes are counted together. */
const refusedMinutes = 15

/** No retry comes later than 4.5 hours after the one before, but for the last (§6.8). */
const failingMs = 6 * hourMs

function ofService(
  state: ServiceState | null,
  outcome: ServiceState['look'],
  now: number,
): Measured[] | null {
  if (state === null) return null
  return state.look === outcome ? [aged('', Date.parse(state.since), now, minuteMs)] : []
}

async function readGaps(pool: pg.Pool, kinds: readonly string[]) {
  const { rows } = await pool.query<GapRow>(GAPS, [kinds])
  return toGapViews(rows)
}

/** Gaps in which nothing can be missing are left out. The value is how long a gap lasted, or lasts. */
function ofGaps(gaps: Awaited<ReturnType<typeof readGaps>>, now: number): Measured[] {
  return gaps
    .filter((gap) => gapSeverity(gap) !== 'info')
    .map(({ id, beganAt, endedAt }) => {
      const began = Date.parse(beganAt)
      return { ...aged(id, began, endedAt === null ? now : Date.parse(endedAt), minuteMs), since: began }
    })
}

/** Several servers of one host see the same disk. */
function worstOfHosts(reports: Round['reports'], read: (facts: ProcessFacts) => number | null): Measured[] {
  const worst = new Map<string, number>()
  for (const { host, facts } of reports) {
    const value = read(facts)
    if (value !== null) worst.set(host, Math.max(worst.get(host) ?? 0, value))
  }
  return [...worst].map(([subject, value]) => ({ subject, value, since: null }))
}

async function oldestTransaction(kind: 'stuck' | 'held', now: number): Promise<Measured[]> {
  const [oldest] = await listTransactionAttentionItems(kind)
  return oldest ? [aged('', oldest.since.getTime(), now, hourMs)] : []
}

/** The address must answer within this many milliseconds. */
const certificateTimeoutMs = 5_000

/** The certificate of the public address ends at this time; null when it cannot be read from here. */
async function certificateEnd(url: URL): Promise<number | null> {
  try {
    return await readCertificateEnd(url, certificateTimeoutMs)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'CERT_HAS_EXPIRED' ? Date.now() : null
  }
}

const latestState =
  'SELECT DISTINCT ON (endpoint_uuid) * FROM endpoint_state ORDER BY endpoint_uuid, seen_from DESC'

/**
 * The query finds endpoints of the service's last list that the service switched off, and those here that people switched off
 * and that have an open gap for it.
 */
const OFF = `
  SELECT latest.endpoint_uuid, since FROM (${latestState}) AS latest
  CROSS JOIN LATERAL (
    SELECT COALESCE(max(seen_until), latest.seen_from) AS since FROM endpoint_state AS before
    WHERE before.endpoint_uuid = latest.endpoint_uuid AND before.seen_from < latest.seen_from
  ) AS began
  WHERE seen_until >= $1::timestamptz AND (status = 'auto_disabled' OR status <> 'active' AND EXISTS (
    SELECT FROM gap WHERE about = latest.endpoint_uuid::text AND ended_at IS NULL AND outcome IS NULL AND kind = 'disabled'))`

interface FailingRow {
  readonly endpoint: string
  readonly receiver_id: string
  readonly last_at: Date | null
  readonly failed: number
}

/** Refusals count since the last delivery that was taken, at addresses that an active endpoint uses. */
const FAILING = `
  SELECT endpoint, receiver.id AS receiver_id, last_at, failed FROM receiver
  CROSS JOIN LATERAL (
    SELECT min(watched.endpoint_uuid::text) AS endpoint FROM watched_endpoint AS watched
    WHERE watched.receiver_id = receiver.id AND watched.status = 'active'
  ) AS used
  CROSS JOIN LATERAL (
    SELECT (SELECT received_at FROM delivery WHERE receiver_id = receiver.id ORDER BY id DESC LIMIT 1) AS last_at
  ) AS taken
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(count), 0)::int AS failed FROM refusal
    WHERE receiver_id = receiver.id AND minute >= $1 AND why = ANY($2::text[])
      AND refusal.last_at > COALESCE(taken.last_at, '-infinity')
  ) AS refused
  WHERE state <> 'closed' AND endpoint IS NOT NULL`

const GAPS = `${SELECT_GAP}
  WHERE outcome IS NULL AND kind = ANY($1::text[]) ORDER BY began_at DESC, gap.id DESC LIMIT 100`

const WAITING = `
  SELECT count(*)::int AS waiting FROM (
    SELECT FROM delivery_pending WHERE dead_lettered_at IS NULL AND run IS NULL LIMIT $1) AS counted`

const PROJECTORS = `
  SELECT ${someShardIsHeld} AS active, LEAST(max(expires_at), clock_timestamp()) AS last
  FROM lease WHERE name LIKE 'projector:%'`

const REFUSED = `
  SELECT why, sum(count)::int AS count FROM refusal
  WHERE minute >= now() - $1 * interval '1 minute' AND why <> 'wrong-method' GROUP BY why`

const INSTALLED = 'SELECT min(finished_at) AS at FROM _prisma_migrations'
