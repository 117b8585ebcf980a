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
  const parameter = (text: string) => `$${values.push(textParameter(text))}`
  const conditions = filterEntries(filter).map(([key, value]) => conditionOf[key](value, parameter))
  const ofLog = conditions.flatMap(({ log }) => log ?? [])
  const ofEvents = conditions.flatMap(({ event }) => event ?? [])
  const carried = [...ofEvents, ...conditions.flatMap(({ span }) => span?.('ed.delivery_id') ?? [])]
  const where = [...ofLog, ...conditions.flatMap(({ span }) => span?.('d.id') ?? [])]
  return {
    from:
      ofEvents.length > 0
        ? `delivery d JOIN (${CARRIED} WHERE ${carried.join(' AND ')}) AS carried ON carried.delivery_id = d.id`
        : 'delivery d',
    where: conditions.length > 0 ? ['true', ...where].join(' AND ') : 'false',
    values,
  }
}

/**
 * The selecting transaction needs this. The planner expects too few rows, because it takes an event's id and
 * subject as independent, and would join whole tables. A nested loop stops at the limit.
 */
export const rowByRow = 'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

/** Events and the log may be on several servers, so events are joined with their deliveries first. Decision 0143. */
const CARRIED = `
  SELECT ed.delivery_id FROM event_delivery ed
  JOIN event e ON e.subject_id = ed.subject_id AND e.id = ed.event_id`

interface Condition {
  /** The condition is on rows of the log (`d`). */
  readonly log?: string
  /** The condition is on an event (`e`) and its delivery (`ed`). */
  readonly event?: string
  /** The condition is on the id of a delivery, in the log or beside its event. */
  readonly span?: (id: string) => string
}

/** An id may be made this many milliseconds before its delivery is stored, or by a clock that is this far off. */
const slack = 3600_000

type ToCondition = (value: string, parameter: (text: string) => string) => Condition

const conditionOf: Record<keyof ReplayFilter, ToCondition> = {
  from: (value, parameter) => {
    const first = parameter(firstUuidv7(Date.parse(value) - slack))
    return {
      log: `d.received_at >= ${parameter(value)}::timestamptz`,
      span: (id) => `${id} >= ${first}::uuid`,
    }
  },
  to: (value, parameter) => {
    const next = parameter(firstUuidv7(Date.parse(value) + slack))
    return { log: `d.received_at < ${parameter(value)}::timestamptz`, span: (id) => `${id} < ${next}::uuid` }
  },
  type: (value, parameter) => ({
    event: value.includes(',')
      ? `e.type = ANY(string_to_array(${parameter(value)}, ','))`
      : `e.type = ${parameter(value)}`,
  }),
  // The step has no index of its own, so it reads every event when it is the only part: 0.7 s at 1.2 million.
  step: (value, parameter) => ({ event: `e.sub_type = ${parameter(value)}` }),
  endpoint: (value, parameter) => ({
    log: `d.receiver_id = ANY(ARRAY(SELECT id FROM receiver WHERE endpoint_uuid = ${parameter(value)}::uuid))`,
  }),
  user: (value, parameter) => ({ event: `e.entity_uuid = ${parameter(value.toLowerCase())}` }),
  transaction: (value, parameter) => ({
    event: `ed.subject_id = ${parameter(subjectId({ kind: 'transaction', id: value.toLowerCase() }))}`,
  }),
  event: (value, parameter) => ({ event: `e.id = ${parameter(value)}::uuid` }),
  delivery: (value, parameter) => {
    const delivery = parameter(value)
    return { span: (id) => `${id} = ${delivery}::uuid` }
  },
  failedIn: (value, parameter) => ({
    log: `d.id IN (SELECT delivery_id FROM replay_delivery WHERE replay_id = ${parameter(value)}::uuid AND error IS NOT NULL)`,
  }),
  // An event has the id of its first delivery.
  once: () => ({ event: 'e.id = ed.delivery_id' }),
}
