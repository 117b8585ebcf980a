import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { type GapRow, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-view.ts'
import { isCovered } from '#lib/endpoints/rules/gaps.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import type { Absence } from './found.ts'

/** The installation may know why data is missing; null for roles that do not see endpoints. */
export async function readAbsence({ role }: Caller): Promise<Absence | null> {
  if (!may(role, 'see-endpoint-health')) return null
  const [periods, gaps, openGaps] = await Promise.all([
    pool().query<Periods>(PERIODS),
    pool().query<GapRow>(LATEST_GAPS),
    pool().query<{ count: number }>(OPEN_GAPS),
  ])
  const { since = null, began = false, oldest = null, listening = null } = periods.rows[0] ?? {}
  const { serviceBaseUrl, sandboxUrl } = env()
  return {
    service: serviceBaseUrl.host,
    sandbox: sandboxUrl !== null && sandboxUrl !== undefined,
    since: since ? { at: since.toISOString() } : began ? 'unknown' : null,
    oldest: oldest && (!since || oldest < since) ? oldest.toISOString() : null,
    missingTypes:
      listening === null
        ? null
        : eventTypes.filter((type) => !listening.includes('*') && !listening.includes(type)),
    gaps: (await toGapViews(gaps.rows)).map((gap) => ({
      id: gap.id,
      beganAt: gap.beganAt,
      endedAt: gap.endedAt,
      covered: isCovered(gap),
    })),
    openGaps: openGaps.rows[0]?.count ?? 0,
  }
}

interface Periods {
  /** Null also when the time is unknown. */
  readonly since: Date | null
  readonly began: boolean
  readonly oldest: Date | null
  readonly listening: string[] | null
}

/**
 * A period without an end is an endpoint that delivers now; one that began at -infinity existed before anybody
 * checked. Ids of events are in the order of receipt, also those of imported events.
 */
const PERIODS = planOnce(`
  SELECT (SELECT NULLIF(min(began_at), '-infinity') FROM receiver_period) AS since,
    EXISTS (SELECT FROM receiver_period) AS began,
    (SELECT first_received_at FROM event ORDER BY id LIMIT 1) AS oldest,
    (SELECT array_agg(DISTINCT type) FROM receiver_period, unnest(events) AS type WHERE ended_at IS NULL) AS listening`)

const LATEST_GAPS = planOnce(
  `${SELECT_GAP} WHERE outcome IS NULL ORDER BY began_at DESC, gap.id DESC LIMIT 2`,
)

const OPEN_GAPS = 'SELECT count(*)::int AS count FROM gap WHERE outcome IS NULL'
