import 'server-only'
import { readOldestWaiting } from '#lib/deliveries/queue/read-queue-state.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { readServiceState, unwatchedSince } from '#lib/endpoints/service-key/service-state.ts'
import {
  failedAccountsOf,
  failedCompaniesOf,
  peopleToLookAt,
  personLooks,
} from '#lib/people/standings/standing-looks.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { countEndpointLooks } from '../overview/count-endpoint-looks.ts'
import { notMuted } from '../overview/list-looks.ts'
import { type Health, type LookCounts, lookCountLimit } from '../rules/health.ts'
import { readOpenGap } from './read-open-gap.ts'

/** Milliseconds for which a delivery may wait to be shown before pages count as behind. */
const behindAfterMs = 10_000

/** The status of this installation, for everybody who may know it. */
export interface Status {
  /** When it was read, in ms since 1970. */
  readonly at: number
  readonly health: Health
  /** `checks`: how many more people there are for roles that may know how checks went. */
  readonly counts: LookCounts & { readonly checks: number | null }
}

/**
 * Reads what the header and the sidebar say. It checks nobody: `statusFor` says who gets what of it.
 * @param startedAt when this process started, in ms since 1970
 */
export async function readStatus(startedAt?: number): Promise<Status> {
  const at = Date.now()
  const service = await readServiceState()
  const seenAt = service?.seenAt ?? null
  const [gap, looks, oldestWaiting, { rows }] = await Promise.all([
    readOpenGap(),
    countEndpointLooks(seenAt),
    readOldestWaiting(pool()),
    pool().query<StatusRow>(STATUS, [seenAt, directions, lookCountLimit]),
  ])
  const row = rows[0]
  const behind = oldestWaiting !== null && at - oldestWaiting.getTime() > behindAfterMs
  return {
    at,
    health: {
      unreadSince: null,
      lastDeliveryAt: row?.last_delivery_at?.toISOString() ?? null,
      receiving: row?.receiving ?? null,
      behindSince: behind ? oldestWaiting.toISOString() : null,
      gap,
      service: service && { look: service.look, since: service.since },
      unwatchedSince: unwatchedSince(service, at, startedAt),
    },
    counts: {
      held: row?.held ?? 0,
      people: row?.people ?? 0,
      checks: (row?.people_checked ?? 0) - (row?.people ?? 0),
      accounts: row?.accounts ?? 0,
      companies: row?.companies ?? 0,
      gaps: Math.min(looks.gaps, lookCountLimit),
      endpoints: Math.min(looks.endpoints, lookCountLimit),
    },
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
}

const counted = (looks: string) => `(SELECT count(*)::int FROM (${looks}) AS look)`

/** By the index of branches where it is made. An endpoint that is not listed any more keeps the row of when it was: only the last list counts. */
const STATUS = `
  SELECT (SELECT max(last_delivery_at) FROM receiver) AS last_delivery_at,
         CASE WHEN $1::timestamptz IS NOT NULL THEN EXISTS (
           SELECT FROM watched_endpoint WHERE status = 'active' AND last_active_at >= $1
         ) END AS receiving,
         (SELECT count(*)::int FROM (
            SELECT FROM transaction
            WHERE finished_at IS NULL AND COALESCE(step, '') = 'ON_HOLD' AND COALESCE(direction, '') = ANY($2::text[])
              AND ${notMuted('subject_id', 'last_move_at', 'held')}
            LIMIT $3
          ) AS held) AS held,
         ${counted(
           peopleToLookAt(
             personLooks.filter((kind) => kind !== 'aml'),
             '$3',
           ),
         )} AS people,
         ${counted(peopleToLookAt(personLooks, '$3'))} AS people_checked,
         ${counted(failedAccountsOf('$3'))} AS accounts,
         ${counted(failedCompaniesOf('$3'))} AS companies`
