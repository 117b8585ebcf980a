import 'server-only'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { readLongestWait } from '#lib/deliveries/queue/read-queue-state.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { type GapView, readOpenGaps } from '#lib/endpoints/gaps/gap-view.ts'
import { missesDeliveries } from '#lib/endpoints/rules/gaps.ts'
import { readServiceState, unwatchedSince } from '#lib/endpoints/service-key/service-state.ts'
import {
  failedAccountsOf,
  failedCompaniesOf,
  peopleNeedingAttention,
  personAttentionKinds,
} from '#lib/people/standings/standing-attention.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, upTo } from '#lib/platform/paging/paging.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { notSnoozed } from '../overview/attention-items.ts'
import { countEndpointAttentionItems } from '../overview/list-endpoint-attention.ts'
import { conditionsFor } from '../rules/alert-conditions.ts'
import { mayKnowAttention } from '../rules/attention-kinds.ts'
import {
  type AttentionCounts,
  attentionCountLimit,
  type Health,
  type LiveStatus,
  type OpenGap,
} from '../rules/health.ts'

/** Pages count as behind when a delivery has waited for more than this many seconds. */
const behindAfterSeconds = 10

/** The status covers this installation. `statusFor` selects what a role may see. */
export interface Status {
  /** The status was read at this time by the database's clock, in ms since 1970: all servers have the same. */
  readonly at: number
  readonly health: Health
  /** `checks` counts the additional people for roles that may see the results of checks. */
  readonly counts: Omit<AttentionCounts, 'alerts'> & { readonly checks: number | null }
  /** The firing alerts that nobody acknowledged are counted by condition, since each role sees some; null while unknown. */
  readonly alerts: Readonly<Record<string, number>> | null
}

/**
 * `readStatus` reads the values of the header and the sidebar. It checks no permission: `statusFor` selects what a role
 * may see.
 * @param startedAt the start of this process by the database's clock, in ms since 1970
 */
export async function readStatus(startedAt?: number): Promise<Status> {
  const at = await readClock(pool())
  const service = await readServiceState()
  const seenAt = service?.seenAt ?? null
  const [gap, items, wait, { rows }] = await Promise.all([
    readOpenGap(),
    countEndpointAttentionItems(seenAt),
    readLongestWait(pool()),
    pool().query<StatusRow>(STATUS, [seenAt, directions, attentionCountLimit]),
  ])
  const row = rows[0]
  return {
    at,
    health: {
      unreadSince: null,
      lastDeliveryAt: row?.last_delivery_at?.toISOString() ?? null,
      receiving: row?.receiving ?? null,
      behindSince: wait && wait.seconds > behindAfterSeconds ? wait.since.toISOString() : null,
      gap,
      service: service && { outcome: service.look, since: service.since },
      unwatchedSince: unwatchedSince(service, at, startedAt),
    },
    counts: {
      held: row?.held ?? 0,
      people: row?.people ?? 0,
      checks: (row?.people_checked ?? 0) - (row?.people ?? 0),
      accounts: row?.accounts ?? 0,
      companies: row?.companies ?? 0,
      gaps: Math.min(items.gaps, attentionCountLimit),
      endpoints: Math.min(items.endpoints, attentionCountLimit),
    },
    alerts: row?.alerts ?? {},
  }
}

interface StatusRow {
  readonly last_delivery_at: Date | null
  readonly receiving: boolean | null
  readonly held: number
  readonly people: number
  readonly people_checked: number
  readonly accounts: number
  readonly companies: number
  readonly alerts: Readonly<Record<string, number>>
}

const counted = (items: string) => `(SELECT count(*)::int FROM (${items}) AS items)`

/** Held transactions are counted by the index of direction and step. An endpoint that is not listed any more keeps the row of when it was: only the last list counts. */
const STATUS = `
  SELECT (SELECT max(last_delivery_at) FROM receiver) AS last_delivery_at,
         CASE WHEN $1::timestamptz IS NOT NULL THEN EXISTS (
           SELECT 1 FROM watched_endpoint WHERE status = 'active' AND last_active_at >= $1
         ) END AS receiving,
         (SELECT count(*)::int FROM (
            SELECT subject_id FROM transaction
            WHERE finished_at IS NULL AND step = 'ON_HOLD' AND COALESCE(direction, '') = ANY($2::text[])
              AND ${notSnoozed('subject_id', 'last_move_at', 'held')}
            LIMIT $3
          ) AS held) AS held,
         ${counted(
           peopleNeedingAttention(
             personAttentionKinds.filter((kind) => kind !== 'aml'),
             '$3',
           ),
         )} AS people,
         ${counted(peopleNeedingAttention(personAttentionKinds, '$3'))} AS people_checked,
         ${counted(failedAccountsOf('$3'))} AS accounts,
         ${counted(failedCompaniesOf('$3'))} AS companies,
         (SELECT COALESCE(jsonb_object_agg(condition, count), '{}') FROM (
            SELECT condition, count(*)::int FROM alert WHERE resolved_at IS NULL AND acknowledged_at IS NULL
            GROUP BY condition
          ) AS firing) AS alerts`

/** The result has what a role may see; null for customers, who learn nothing about others. */
export function statusFor(role: Role, { at, health, counts: all, alerts }: Status): LiveStatus | null {
  if (!may(role, 'see-everything')) return null
  const mayKnow = may(role, 'see-endpoint-health')
  const counts = { ...countsFor(role, all), alerts: alerts && countAlertsFor(role, alerts) }
  return {
    at,
    health: mayKnow ? health : null,
    counts: mayKnow ? counts : { ...counts, gaps: null, endpoints: null },
  }
}

/** A count must not reveal a failed check for money laundering to roles that may not see it. */
function countsFor(
  role: Role,
  { checks, people, ...counts }: Status['counts'],
): Omit<AttentionCounts, 'alerts'> {
  if (checks === null || people === null || !mayKnowAttention(role, 'aml'))
    return { ...counts, people: atMost(people) }
  return { ...counts, people: atMost(people + checks) }
}

const countAlertsFor = (role: Role, alerts: Readonly<Record<string, number>>): number =>
  Math.min(
    conditionsFor(role).reduce((sum, code) => sum + (ownValue(alerts, code) ?? 0), 0),
    attentionCountLimit,
  )

const atMost = (count: number | null) => count && Math.min(count, attentionCountLimit)

interface Candidate {
  readonly gap: GapView
  readonly severity: 'warning' | 'error'
}

/**
 * The gap is the worst one that nobody has closed: it lasts, or it is over and left transactions without an event
 * since. It is null when there is none, or when another endpoint received the same events.
 */
async function readOpenGap(): Promise<OpenGap | null> {
  const candidates = (await readCandidates()).toSorted((a, b) => weight(b) - weight(a))
  if (candidates.length === 0) return null
  const unheard = await countUnheard(candidates.map(({ gap }) => gap))
  const found = candidates.find(({ gap }) => gap.endedAt === null || (unheard.get(gap.id) ?? 0) > 0)
  if (!found) return null
  const { id, kind, beganAt, endedAt } = found.gap
  return { id, kind, severity: found.severity, beganAt, endedAt, open: upTo(unheard.get(id) ?? 0) }
}

/** Lasting gaps come first. The search ends after an error or a gap that is over, because no later one weighs more. */
async function readCandidates(): Promise<readonly Candidate[]> {
  const found: Candidate[] = []
  for await (const { gap, severity } of readOpenGaps()) {
    if (severity === 'info' || !missesDeliveries(gap.kind)) continue
    found.push({ gap, severity })
    if (gap.endedAt !== null || severity === 'error') break
  }
  return found
}

/** A lasting gap weighs more than one that is over, and a gap with surely missing deliveries weighs most. */
const weight = ({ gap, severity }: Candidate) =>
  (gap.endedAt === null ? 2 : 0) + (severity === 'error' ? 1 : 0)

/** The counts are by the gap's id, up to one more than the largest exact count. */
async function countUnheard(gaps: readonly GapView[]): Promise<Map<string, number>> {
  const { rows } = await pool().query<{ id: string; unheard: number }>(unheardOf(gaps.length), [
    exactUpTo + 1,
    ...gaps.flatMap(({ id, endedAt }) => [id, endedAt]),
  ])
  return new Map(rows.map(({ id, unheard }) => [id, unheard]))
}

/** Each gap is counted by a part of its own, whose parameters are its id and its end. */
const unheardOf = (gaps: number) =>
  Array.from({ length: gaps }, (_, index) => unheardSince(`$${2 * index + 2}`, `$${2 * index + 3}`)).join(
    ' UNION ALL ',
  )

const unheardSince = (id: string, end: string) => `(
  SELECT ${id}::uuid AS id, count(*)::int AS unheard FROM (
    SELECT 1 FROM transaction
    WHERE finished_at IS NULL AND started_at <= COALESCE(${end}::timestamptz, 'infinity')
      AND last_move_at <= COALESCE(${end}::timestamptz, 'infinity')
    LIMIT $1
  ) AS open)`
