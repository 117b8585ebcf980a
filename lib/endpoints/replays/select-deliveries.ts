import 'server-only'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { textParameter } from '#lib/platform/db/sql-text.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'

/** `Selection` is a query for deliveries with its values, which begin at $1. */
export interface Selection {
  readonly from: string
  readonly where: string
  readonly values: readonly string[]
}

/**
 * The query finds the deliveries of the log (`d`) that match the filter. Deliveries that were never folded match
 * too, when the filter asks for no event.
 */
export function selectDeliveries(filter: ReplayFilter): Selection {
  const values: string[] = []
  const conditions = filterEntries(filter).map(([key, value]) => {
    const parameter = (text: string) => `$${values.push(textParameter(text))}`
    return conditionOf[key](value, parameter)
  })
  return { from: FROM, where: conditions.length > 0 ? conditions.join(' AND ') : 'false', values }
}

/**
 * The selecting transaction needs this. The planner expects too few rows, because it takes an event's id and
 * subject as independent, and would join whole tables. A nested loop stops at the limit.
 */
export const rowByRow = 'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

const FROM = `delivery d
  LEFT JOIN event_delivery ed ON ed.delivery_id = d.id
  LEFT JOIN event e ON e.subject_id = ed.subject_id AND e.id = ed.event_id`

type Condition = (value: string, parameter: (text: string) => string) => string

/** An id may be made this many milliseconds before its delivery is stored, or by a clock that is this far off. */
const slack = 3600_000

const conditionOf: Record<keyof ReplayFilter, Condition> = {
  from: (value, parameter) =>
    `d.received_at >= ${parameter(value)}::timestamptz AND d.id >= ${parameter(firstUuidv7(Date.parse(value) - slack))}::uuid`,
  to: (value, parameter) =>
    `d.received_at < ${parameter(value)}::timestamptz AND d.id < ${parameter(firstUuidv7(Date.parse(value) + slack))}::uuid`,
  type: (value, parameter) =>
    value.includes(',')
      ? `e.type = ANY(string_to_array(${parameter(value)}, ','))`
      : `e.type = ${parameter(value)}`,
  // The step has no index of its own, so it reads every event when it is the only part: 0.7 s at 1.2 million.
  step: (value, parameter) => `e.sub_type = ${parameter(value)}`,
  endpoint: (value, parameter) =>
    `d.receiver_id = ANY(ARRAY(SELECT id FROM receiver WHERE endpoint_uuid = ${parameter(value)}::uuid))`,
  user: (value, parameter) => `e.entity_uuid = ${parameter(value.toLowerCase())}`,
  transaction: (value, parameter) =>
    `ed.subject_id = ${parameter(subjectId({ kind: 'transaction', id: value.toLowerCase() }))}`,
  event: (value, parameter) => `e.id = ${parameter(value)}::uuid`,
  delivery: (value, parameter) => `d.id = ${parameter(value)}::uuid`,
  failedIn: (value, parameter) =>
    `d.id IN (SELECT delivery_id FROM replay_delivery WHERE replay_id = ${parameter(value)}::uuid AND error IS NOT NULL)`,
  // An event has the id of its first delivery.
  once: () => 'e.id = d.id',
}
