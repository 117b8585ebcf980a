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
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ownReceivers } from './list-requests.ts'

/** What arrived at the addresses of an endpoint. Times are ISO 8601. */
export interface Traffic {
  /** Hour by hour, the earliest first, the last one not over yet. */
  readonly hours: readonly TrafficHour[]
  /** Of the days that requests are listed for: how often each reason was the answer, the most first. */
  readonly reasons: readonly { readonly why: RefusalReason; readonly count: number }[]
  /** About when what was not taken is sent again. */
  readonly retries: readonly { readonly at: string; readonly deliveries: number }[]
  /** How many had their last attempt. */
  readonly givenUp: number
  /** Whether more may have been refused than is listed, so that both counts are the least. */
  readonly atLeast: boolean
}

export interface TrafficHour {
  readonly at: string
  readonly taken: number
  readonly refused: number
}

/** Hours that the chart shows. */
const hoursShown = 48

const hourMs = 3_600_000

/** Deliveries of an hour that is not counted yet are counted up to so many. */
const mostCounted = 50_000

/** Refused requests of a receiver that a forecast is made of. */
const mostForecast = 1_000

/** Throws `NotAllowed`. */
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

/** What strangers sent is nobody's retry. */
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
  readonly ms: string
  /** Null when it was taken. */
  readonly why: RefusalReason | null
}

/** Full hours were counted by the watcher; the others are counted here, by the time in their ids. */
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

/** The latest that were not taken, and the latest that were taken since the first of them: retries among these. */
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
