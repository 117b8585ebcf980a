import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { readWrongSecrets } from '#lib/deliveries/receivers/read-wrong-secrets.ts'
import { answeredRequestDays } from '#lib/deliveries/retention-rules.ts'
import {
  isSampleFull,
  parseRefusalReason,
  type RefusalReason,
  reasonsThatAre,
  refusalReasons,
} from '#lib/deliveries/rules/refusal-reasons.ts'
import { type Attempt, forecastRetries, retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { ownReceivers } from './list-requests.ts'

/** `Traffic` is what arrived at the addresses of an endpoint. Times are ISO 8601. */
export interface Traffic {
  /** Hours come oldest first; the last one is not over yet. */
  readonly hours: readonly TrafficHour[]
  /** Each reason counts the refusals of the days for which requests are listed, the most frequent first. */
  readonly reasons: readonly { readonly why: RefusalReason; readonly count: number }[]
  /** The service sends refused deliveries again about then. */
  readonly retries: readonly { readonly at: string; readonly deliveries: number }[]
  /** This many deliveries had their last attempt. */
  readonly givenUp: number
  /** More deliveries may have been refused than are listed, so both counts are minimums. */
  readonly atLeast: boolean
}

export interface TrafficHour {
  readonly at: string
  readonly taken: number
  readonly refused: number
}

/** The chart shows this many hours. */
const hoursShown = 48

const hourMs = 3_600_000

/** An hour that is not counted yet is counted up to this many deliveries. */
const mostCounted = 50_000

/** The forecast of a receiver reads at most this many refused requests. */
const mostForecast = 1_000

/** The last 48 hours of an endpoint come with refusals and expected retries. Throws `NotAllowed`. */
export async function readTraffic(caller: Caller, endpointUuid: string): Promise<Traffic> {
  requirePermission(caller, 'see-endpoint-health')
  const now = Date.now()
  const first = now - (now % hourMs) - (hoursShown - 1) * hourMs
  const hours = Array.from({ length: hoursShown }, (_, index) => first + index * hourMs)
  const [taken, refused, reasons, { attempts, atLeast }] = await Promise.all([
    countTaken(endpointUuid, hours),
    pool().query<{ hour: Date; count: number }>({ ...REFUSED, values: [endpointUuid, new Date(first)] }),
    pool().query<{ why: string; count: number }>({
      ...REASONS,
      values: [endpointUuid, new Date(now - answeredRequestDays * 86_400_000)],
    }),
    readAttempts(endpointUuid, now),
  ])
  const refusedAt = new Map(refused.rows.map(({ hour, count }) => [hour.getTime(), count]))
  const { expected, givenUp } = forecastRetries(attempts, now)
  return {
    hours: hours.map((hour) => ({
      at: new Date(hour).toISOString(),
      taken: taken.get(hour) ?? 0,
      refused: refusedAt.get(hour) ?? 0,
    })),
    reasons: reasons.rows.flatMap(({ why, count }) => {
      const known = parseRefusalReason(why)
      return known ? [{ why: known, count }] : []
    }),
    retries: expected
      .slice(0, 3)
      .map(({ at, deliveries }) => ({ at: new Date(at).toISOString(), deliveries })),
    givenUp,
    atLeast,
  }
}

async function countTaken(endpointUuid: string, hours: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await pool().query<{ hour: Date; count: number }>({
    ...TAKEN,
    values: [
      endpointUuid,
      hours.map((hour) => new Date(hour)),
      hours.map((hour) => firstUuidv7(hour)),
      hours.map((hour) => firstUuidv7(hour + hourMs)),
      mostCounted,
    ],
  })
  return new Map(rows.map(({ hour, count }) => [hour.getTime(), count]))
}

/** A stranger's call is never retried, so it is left out. */
async function readAttempts(
  endpointUuid: string,
  now: number,
): Promise<{ readonly attempts: Attempt[]; readonly atLeast: boolean }> {
  const since = now - retryWindowSeconds * 1000
  const { rows } = await pool().query<AttemptRow>({
    ...ATTEMPTS,
    values: [
      endpointUuid,
      firstUuidv7(since),
      [...reasonsThatAre('deferred'), ...reasonsThatAre('secret')],
      mostForecast,
    ],
  })
  const someWrong = rows.some(({ why }) => why !== null && refusalReasons[why] === 'secret')
  const wrongSecrets = someWrong ? await readWrongSecrets(pool(), new Date(since), now) : []
  const ours = wrongSecrets.filter(({ who }) => who === 'service')
  const requests = rows
    .map(({ receiver_id, ms, why }) => ({ receiverId: receiver_id, at: Number(ms), why }))
    .filter(
      ({ receiverId, at, why }) =>
        why === null ||
        refusalReasons[why] !== 'secret' ||
        ours.some(
          (minute) => minute.receiverId === receiverId && at >= minute.first - 1 && at <= minute.last + 1_000,
        ),
    )
  const refused = requests.flatMap(({ why, ...request }) => (why === null ? [] : [{ ...request, why }]))
  return {
    attempts: requests.map(({ at, why }) => ({ at, taken: why === null })),
    atLeast: isSampleFull(refused) || rows.filter(({ why }) => why !== null).length >= mostForecast,
  }
}

interface AttemptRow {
  readonly receiver_id: string
  readonly ms: bigint
  /** The reason is null when the request was accepted. */
  readonly why: RefusalReason | null
}

/** The watcher has counted full hours. The others are counted here, by the time in their ids. */
const TAKEN = planOnce(`
  WITH ${ownReceivers}
  SELECT hour, sum(COALESCE(counted.deliveries, present.deliveries))::int AS count
  FROM own CROSS JOIN unnest($2::timestamptz[], $3::uuid[], $4::uuid[]) AS shown (hour, first, next)
  LEFT JOIN delivery_hour AS counted USING (receiver_id, hour)
  LEFT JOIN LATERAL (
    SELECT count(*) AS deliveries FROM (
      SELECT FROM delivery
      WHERE delivery.receiver_id = own.receiver_id AND id >= shown.first AND id < shown.next LIMIT $5
    ) AS arrived
  ) AS present ON counted.deliveries IS NULL
  GROUP BY hour`)

const REFUSED = planOnce(`
  WITH ${ownReceivers}
  SELECT date_bin('1 hour', minute, 'epoch'::timestamptz) AS hour, sum(count)::int AS count
  FROM refusal JOIN own USING (receiver_id) WHERE minute >= $2 GROUP BY 1`)

const REASONS = planOnce(`
  WITH ${ownReceivers}
  SELECT why, sum(count)::int AS count
  FROM refusal JOIN own USING (receiver_id) WHERE minute >= $2 GROUP BY why ORDER BY 2 DESC, why`)

/**
 * The rows are the latest refused requests, and the latest accepted ones since the first of them, which include
 * retries.
 */
const ATTEMPTS = planOnce(`
  WITH ${ownReceivers}, refused AS (
    SELECT receiver_id, id, why FROM own CROSS JOIN LATERAL (
      SELECT id, why FROM answered_request
      WHERE answered_request.receiver_id = own.receiver_id AND why = ANY($3) AND id > $2::uuid
      ORDER BY id DESC LIMIT $4
    ) AS latest
  ), taken AS (
    SELECT receiver_id, id FROM own CROSS JOIN LATERAL (
      SELECT id FROM delivery
      WHERE delivery.receiver_id = own.receiver_id AND id > (SELECT min(id::text)::uuid FROM refused)
      ORDER BY id DESC LIMIT 5 * $4
    ) AS later
  )
  SELECT receiver_id, ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint AS ms, why
  FROM (SELECT receiver_id, id, why FROM refused UNION ALL SELECT receiver_id, id, NULL FROM taken) AS attempt
  ORDER BY id`)
