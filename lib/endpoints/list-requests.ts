import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import { answeredRequestDays } from '#lib/deliveries/retention-rules.ts'
import {
  parseRefusalReason,
  type RefusalReason,
  refusalReasons,
  refusalStatuses,
} from '#lib/deliveries/rules/refusal-reasons.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'

/**
 * The receivers of the endpoint `$1` are those made for it, and the one that it was last seen to deliver to. A
 * receiver's row lacks its endpoint while the answer to a creation is lost, and may be missing after a restore.
 */
export const ownReceivers = `own AS (
    SELECT id AS receiver_id FROM receiver WHERE endpoint_uuid = $1::uuid
    UNION SELECT receiver_id FROM watched_endpoint WHERE endpoint_uuid = $1::uuid
  )`

/** The address of the list may ask for these; a value that cannot be read is left out. */
export const RequestFiltersSchema = z.object({
  /** The list has requests that were accepted, that were refused, or that were refused for one reason. */
  answer: z
    .enum(['taken', 'refused', ...Object.keys(refusalReasons)])
    .optional()
    .catch(undefined),
  /** `before` is the id of the last request on the page before. */
  before: z.guid().optional().catch(undefined),
})

export type RequestFilters = z.output<typeof RequestFiltersSchema>

/** A request arrived at an address of this dashboard. It comes without its body and its secret. */
export interface RequestView {
  readonly id: string
  /** The request was stored, or answered, at this time (ISO 8601). */
  readonly at: string
  /** This is the HTTP status of our answer. */
  readonly status: number
  /** The reason is null for an accepted request, and for a reason of another version. */
  readonly why: RefusalReason | null
  /** The time runs from the request's head to our answer, in ms; null when it was not kept. */
  readonly ms: number | null
  /** The event is as the caller's role may see it; null when the request was refused, or is not folded yet. */
  readonly event: {
    readonly subjectId: string
    readonly type: string | null
    readonly subType: string | null
    readonly status: string | null
  } | null
}

export interface RequestPage {
  readonly rows: readonly RequestView[]
  /** `next` is the value of `before` for the next page; null on the last page. */
  readonly next: string | null
}

/** Requests of the last week to the addresses of an endpoint come newest first. Throws `NotAllowed`. */
export async function listRequests(
  caller: Caller,
  endpointUuid: string,
  filters: RequestFilters & { readonly limit?: number | undefined } = {},
): Promise<RequestPage> {
  requirePermission(caller, 'see-endpoint-health')
  const limit = pageSize(filters.limit ?? 25)
  const { answer = null, before = null } = filters
  const reason = answer === 'taken' || answer === 'refused' ? null : answer
  const { rows } = await pool().query<RequestRow>(LIST, [
    endpointUuid,
    firstUuidv7(Date.now() - answeredRequestDays * 86_400_000),
    before,
    limit + 1,
    answer === null || answer === 'taken',
    answer !== 'taken',
    reason,
  ])
  const { listed, next } = pageOf(rows, limit, ({ id }) => id)
  return { rows: listed.map((row) => toRequestView(caller.role, row)), next }
}

interface RequestRow {
  readonly id: string
  readonly at: Date
  readonly taken: boolean
  readonly why: string | null
  readonly ms: number | null
  readonly subject_id: string | null
  readonly type: string | null
  readonly sub_type: string | null
  readonly status: string | null
}

function toRequestView(role: Role, row: RequestRow): RequestView {
  const why = row.why === null ? null : parseRefusalReason(row.why)
  return {
    id: row.id,
    at: row.at.toISOString(),
    status: row.taken ? 200 : why ? refusalStatuses[why] : 503,
    why,
    ms: row.ms,
    event: toEvent(role, row),
  }
}

function toEvent(
  role: Role,
  { subject_id: subjectId, type, sub_type, status }: RequestRow,
): RequestView['event'] {
  const { exists, says } = eventRules(type)
  if (subjectId === null || visibilityOf(role, exists) === 'hidden') return null
  return { subjectId, type, subType: showValue(role, says, sub_type), status: showValue(role, says, status) }
}

/** A uuidv7 contains this moment. */
const timeOfId = `to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`

/** Each receiver's newest requests come by index: accepted ones from the log, the others from `answered_request`. */
const LIST = `
  WITH ${ownReceivers}, listed AS MATERIALIZED (
    SELECT * FROM (
      SELECT taken.* FROM own CROSS JOIN LATERAL (
        SELECT id, received_at AS at, true AS taken, NULL AS why FROM delivery
        WHERE $5 AND delivery.receiver_id = own.receiver_id AND id > $2::uuid AND ($3::uuid IS NULL OR id < $3)
        ORDER BY id DESC LIMIT $4
      ) AS taken
      UNION ALL
      SELECT refused.* FROM own CROSS JOIN LATERAL (
        SELECT id, ${timeOfId} AS at, false AS taken, why FROM answered_request
        WHERE $6 AND answered_request.receiver_id = own.receiver_id AND why IS NOT NULL
          AND ($7::text IS NULL OR why = $7) AND id > $2::uuid AND ($3::uuid IS NULL OR id < $3)
        ORDER BY id DESC LIMIT $4
      ) AS refused
    ) AS either ORDER BY id DESC LIMIT $4
  ), carried AS MATERIALIZED (
    SELECT DISTINCT ON (of.delivery_id) of.delivery_id, of.subject_id, event.type, event.sub_type, event.status
    FROM event_delivery AS of LEFT JOIN event ON event.subject_id = of.subject_id AND event.id = of.event_id
    WHERE of.delivery_id = ANY(ARRAY(SELECT id FROM listed WHERE taken)) ORDER BY of.delivery_id
  )
  SELECT listed.*, answered.ms, subject_id, type, sub_type, status
  FROM listed
  LEFT JOIN answered_request AS answered ON answered.id = listed.id
  LEFT JOIN carried ON carried.delivery_id = listed.id
  ORDER BY listed.id DESC`
