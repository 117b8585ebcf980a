import 'server-only'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { textParameter } from '#lib/platform/db/sql-text.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'

/** A query for deliveries with their values, which begin at $1. */
export interface Selection {
  readonly from: string
  readonly where: string
  readonly values: readonly string[]
}

/** The deliveries of the log (`d`) that a filter means; those that were never folded too, when it asks for no event. */
export function selectDeliveries(filter: ReplayFilter): Selection {
  const values: string[] = []
  const conditions = filterEntries(filter).map(([key, value]) => {
    const parameter = (text: string) => `$${values.push(textParameter(text))}`
    return conditionOf[key](value, parameter)
  })
  return { from: FROM, where: conditions.length > 0 ? conditions.join(' AND ') : 'false', values }
}

/**
 * For the selecting transaction: the planner takes an event's id and subject as independent, expects too few
 * rows and would join whole tables. A nested loop stops at the limit.
 */
export const rowByRow = 'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

const FROM = `delivery d
  LEFT JOIN event_delivery ed ON ed.delivery_id = d.id
  LEFT JOIN event e ON e.subject_id = ed.subject_id AND e.id = ed.event_id`

type Condition = (value: string, parameter: (text: string) => string) => string

/** An id is made up to this long before its delivery is stored, or by a clock that much off. Milliseconds. */
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
  // Alone it has no index and reads every event: 0.7 s at 1.2 million.
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
