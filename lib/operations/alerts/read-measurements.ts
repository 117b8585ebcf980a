import 'server-only'
import type pg from 'pg'
import { readChainCheck } from '#lib/audit/check-chain.ts'
import { countRefusedSignIns } from '#lib/audit/counted-entries.ts'
import { countDeadLetters, readLongestWait } from '#lib/deliveries/queue/read-queue-state.ts'
import { readWrongSecrets } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import { reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { type GapView, readOpenGaps } from '#lib/endpoints/gaps/gap-view.ts'
import { type GapKind, missesDeliveries } from '#lib/endpoints/rules/gaps.ts'
import { readServiceState, type ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { readCertificateEnd } from '#lib/platform/addresses/public-address.ts'
import { processBegan } from '#lib/platform/db/clock.ts'
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
import { type AlertRule, isFiring, type Measured } from '../rules/alert-changes.ts'
import { type ConditionCode, conditionCodes, conditionOf, noBackup } from '../rules/alert-conditions.ts'
import { type ProcessFacts, type ProcessReport, readProcessReports } from './process-report.ts'

const limited = limitedLog(logOf('alerts'), 600_000)

/** One round measures with these. Times are ms since 1970, by the database's clock. */
interface Round {
  readonly pool: pg.Pool
  readonly now: number
  /** This process began then. */
  readonly beganAt: number
  /** The database was away until then, or else this process began then. */
  readonly backAt: number
  readonly rules: ReadonlyMap<ConditionCode, AlertRule>
  readonly service: ServiceState | null
  readonly reports: readonly ProcessReport[]
}

/** A reader measures one condition. It returns null when nobody can know now. */
type Reader = (round: Round) => Promise<readonly Measured[] | null>

/**
 * `readMeasurements` measures the wanted conditions whose rules are on. A condition that cannot be measured is null in the
 * result.
 * @param backAfter the database was away until so many ms after the start of this process; 0 for never
 */
export async function readMeasurements(
  pool: pg.Pool,
  rules: ReadonlyMap<ConditionCode, AlertRule>,
  now: number,
  wanted: readonly ConditionCode[] = conditionCodes,
  backAfter = 0,
): Promise<ReadonlyMap<ConditionCode, readonly Measured[] | null>> {
  const [state, reports] = [await readServiceState(pool), await readProcessReports(pool)]
  const beganAt = processBegan(now)
  // A state from before this start is old: the watcher has not looked yet.
  const service = state && Date.parse(state.lookedAt) >= beganAt ? state : null
  const round: Round = { pool, now, beganAt, backAt: beganAt + backAfter, rules, service, reports }
  const found = new Map<ConditionCode, readonly Measured[] | null>()
  // They run one by one, so that alerts use one connection.
  for (const code of wanted) {
    if (rules.get(code)?.enabled === false) continue
    try {
      found.set(code, (await readers[code](round))?.map(withShortSubject) ?? null)
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
    const reasons = reasonsThatAre('closed', 'final', 'deferred')
    const { rows } = await pool.query<FailingRow>(FAILING, [since, reasons])
    const ofService = (await readWrongSecrets(pool, since, now)).filter(({ who }) => who === 'service')
    return rows.flatMap(({ endpoint: subject, receiver_id: id, last_at: lastAt, failed }) => {
      const wrong = ofService
        .filter(({ receiverId, last }) => receiverId === id && last > (lastAt?.getTime() ?? 0))
        .reduce((sum, { count }) => sum + count, 0)
      return failed + wrong > 0 ? [{ subject, value: failed + wrong, since: null }] : []
    })
  },

  'deliveries-missed': ({ pool, now }) =>
    measureGaps(pool, now, ({ kind, endedAt }) => endedAt !== null || !hasOwnAlert.has(kind)),

  silence: ({ pool, now }) =>
    measureGaps(pool, now, ({ kind, endedAt }) => endedAt === null && kind === 'silent'),

  'backlog-size': async ({ pool }) =>
    one((await pool.query<{ waiting: number }>(WAITING)).rows[0]?.waiting ?? 0),

  async 'backlog-age'({ pool, now, rules }) {
    const oldest = (await readLongestWait(pool))?.since.getTime()
    const isKept = oldest === undefined || now - oldest < youngMs
    if (isKept || now - backlog.measuredAt > lapseMs || now < backlog.measuredAt)
      backlog = { measuredAt: now, keptUpAt: now, isSure: isKept }
    backlog.measuredAt = now
    if (oldest === undefined) return []
    // Imports, retries and new evidence put old deliveries into the queue, which have not waited there since they were received.
    const found = aged('', Math.max(oldest, backlog.keptUpAt), now, 1_000)
    return [backlog.isSure || oldest > backlog.keptUpAt ? found : atLeast(found, rules.get('backlog-age'))]
  },

  'dead-letters': async ({ pool }) => one(await countDeadLetters(pool)),

  async 'no-projector'({ pool, now, backAt, rules }) {
    const { rows } = await pool.query<{ active: boolean; last: Date | null }>(PROJECTORS)
    if (rows[0]?.active) return []
    // After a stop for the night, the projectors start after this process, and after an outage they come back with the database.
    const last = rows[0]?.last?.getTime() ?? 0
    const since = Math.max(last, backAt)
    const found = aged('', since, now, 1_000)
    return [since === last ? found : atLeast(found, rules.get('no-projector'))]
  },

  'no-live-process': async ({ reports }) =>
    worstOfHosts(
      // The process that was silent has ended with its server.
      reports.filter(({ hasEnded }) => !hasEnded),
      ({ liveSilentSeconds }) => liveSilentSeconds ?? undefined,
    ),

  async 'refused-deliveries'({ pool }) {
    const { rows } = await pool.query<{ why: string; count: number }>(REFUSED, [refusedMinutes])
    return rows.map(({ why, count }) => ({ subject: why, value: count, since: null }))
  },

  // Without an answer, nobody knows whether the key is still rejected.
  'key-refused': async ({ service, now }) =>
    service?.look === 'unanswered' ? null : ofService(service, 'key-refused', now),
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

  async 'migration-failed'({ pool, now, beganAt, rules }) {
    const pending = await listPendingMigrations(pool)
    const rule = rules.get('migration-failed')
    return pending.map(({ name }) => atLeast(aged(name, beganAt, now, hourMs), rule))
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
    const until = await certificateEnd(publicUrl, now)
    return until === null
      ? null
      : [{ subject: publicUrl.hostname, value: (until - now) / dayMs, since: null }]
  },

  async 'clock-difference'({ reports }) {
    const worst = (clock: 'serviceClockSeconds' | 'databaseClockSeconds') => {
      const known = reports.flatMap(({ facts }) => facts?.[clock] ?? [])
      return known.length === 0 ? null : Math.max(...known.map(Math.abs))
    }
    return [
      { subject: 'service', value: worst('serviceClockSeconds'), since: null },
      { subject: 'database', value: worst('databaseClockSeconds'), since: null },
    ]
  },

  async 'backup-old'({ pool, now }) {
    // The sandbox has nothing that anybody would miss.
    if (env().sandboxUrl !== null) return []
    const last = await readLastBackup(pool)
    if (last) return [aged('', Date.parse(last.madeAt), now, dayMs)]
    const installed = (await pool.query<{ at: Date | null }>(INSTALLED)).rows[0]?.at
    return installed ? [aged(noBackup, installed.getTime(), now, dayMs)] : null
  },
}

/** A delivery that was received so many milliseconds ago is no sign of a backlog. */
const youngMs = 5_000

/**
 * Another process measured meanwhile when so many milliseconds lie between two measurements. After one of the future, the clock
 * was set back.
 */
const lapseMs = 300_000

/**
 * The backlog began after `keptUpAt`. `isSure`: this process saw that there was none then; otherwise it only began to measure.
 */
let backlog = { measuredAt: 0, keptUpAt: 0, isSure: false }

/**
 * The age was counted from when this process could first see it, so it may be larger. It is unknown until it reaches the
 * threshold, because a restart is no sign that all is well.
 */
const atLeast = (found: Measured, rule: AlertRule | undefined): Measured =>
  rule && found.value !== null && isFiring(rule, found.value) ? found : { ...found, value: null }

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

/** While such a gap lasts, another condition has its alert. */
const hasOwnAlert: ReadonlySet<GapKind> = new Set(['disabled', 'auto-disabled', 'silent'])

/** The value is how long a gap lasted, or lasts. Gaps that need nobody are left out, and those in which nothing can be missing. */
async function measureGaps(
  pool: pg.Pool,
  now: number,
  isWanted: (gap: GapView) => boolean,
): Promise<Measured[]> {
  const found: Measured[] = []
  for await (const { gap, severity } of readOpenGaps(pool)) {
    if (severity === 'info' || !missesDeliveries(gap.kind) || !isWanted(gap)) continue
    const began = Date.parse(gap.beganAt)
    const ended = gap.endedAt === null ? now : Date.parse(gap.endedAt)
    found.push({ ...aged(gap.id, began, ended, minuteMs), since: began })
  }
  return found
}

/**
 * Several servers of one host see the same disk. A host whose servers all ended is unknown for an hour. `read` answers null for
 * what is unknown, and undefined for what a server does not have.
 */
function worstOfHosts(
  reports: Round['reports'],
  read: (facts: ProcessFacts) => number | null | undefined,
): Measured[] {
  const worst = new Map<string, number | null>()
  for (const { host, facts } of reports) {
    const value = facts && read(facts)
    const before = worst.get(host) ?? null
    if (value !== undefined) worst.set(host, value === null ? before : Math.max(before ?? value, value))
  }
  return [...worst].map(([subject, value]) => ({ subject, value, since: null }))
}

async function oldestTransaction(kind: 'stuck' | 'held', now: number): Promise<Measured[]> {
  const [oldest] = await listTransactionAttentionItems(kind)
  return oldest ? [aged('', oldest.since.getTime(), now, hourMs)] : []
}

/** The address must answer within this many milliseconds. */
const certificateTimeoutMs = 5_000

/** The certificate of the public address ends at this time, an expired one `now`; null when it cannot be read from here. */
async function certificateEnd(url: URL, now: number): Promise<number | null> {
  try {
    return await readCertificateEnd(url, certificateTimeoutMs)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'CERT_HAS_EXPIRED' ? now : null
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

/**
 * Refusals count since the last delivery that was taken, at addresses that an active endpoint uses. Both are dated by the server
 * that got them: the id of a delivery begins with that time.
 */
const FAILING = `
  SELECT endpoint, receiver.id AS receiver_id, last_at, failed FROM receiver
  CROSS JOIN LATERAL (
    SELECT min(watched.endpoint_uuid::text) AS endpoint FROM watched_endpoint AS watched
    WHERE watched.receiver_id = receiver.id AND watched.status = 'active'
  ) AS used
  CROSS JOIN LATERAL (
    SELECT to_timestamp((
      SELECT ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0 FROM delivery
      WHERE receiver_id = receiver.id ORDER BY id DESC LIMIT 1
    )) AS last_at
  ) AS taken
  CROSS JOIN LATERAL (
    SELECT COALESCE(sum(count), 0)::int AS failed FROM refusal
    WHERE receiver_id = receiver.id AND minute >= $1 AND why = ANY($2::text[])
      AND refusal.last_at > COALESCE(taken.last_at, '-infinity')
  ) AS refused
  WHERE state <> 'closed' AND endpoint IS NOT NULL`

/**
 * Counting ends at a limit, because a large queue is slow to count: a million takes a quarter of a second. The limit is the same
 * for each threshold, or an acknowledged count would seem to double with it.
 */
const WAITING = `
  SELECT count(*)::int AS waiting FROM (
    SELECT FROM delivery_pending WHERE dead_lettered_at IS NULL AND run IS NULL
    LIMIT ${2 * conditionOf('backlog-size').most}) AS counted`

const PROJECTORS = `
  SELECT ${someShardIsHeld} AS active, LEAST(COALESCE(max(expires_at), to_timestamp(0)), clock_timestamp()) AS last
  FROM lease WHERE name LIKE 'projector:%'`

const REFUSED = `
  SELECT why, sum(count)::int AS count FROM refusal
  WHERE minute >= now() - $1 * interval '1 minute' AND why <> 'wrong-method' GROUP BY why`

const INSTALLED = 'SELECT min(finished_at) AS at FROM _prisma_migrations'
